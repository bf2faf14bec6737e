"""Loaded by pytest beside Borg's own tests: they run the program named borg.exe, and only those that run a program are kept."""
import borg.testsuite.archiver as archiver


def one_kind(metafunc, kinds):
    if "archivers" in metafunc.fixturenames:
        metafunc.parametrize("archivers", ["binary_archiver"])


archiver.generate_archiver_tests = one_kind
archiver.BORG_EXES[:] = ["binary"]


def pytest_collection_modifyitems(config, items):
    kept = [item for item in items if {"archivers", "cmd_fixture"} & set(item.fixturenames)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
