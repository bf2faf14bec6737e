#include "cli/benchmark_options.h"

#include "cli/common_options.h"
#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using Cpu = BenchmarkCpuOptions;
constexpr Option kCpuOptions[] = {
    flag("--json", "print JSON on standard output", set<&Cpu::json>),
    flag("--chunking", "measure the chunkers", set<&Cpu::chunking>),
    flag("--hashing", "measure hashes and MACs", set<&Cpu::hashing>),
    flag("--encrypting", "measure the ciphers", set<&Cpu::encrypting>),
    flag("--compressing", "measure the compressors", set<&Cpu::compressing>),
    value("--data", "PATH", "compress this file, or all files below this directory", set<&Cpu::data>),
    flag("--msgpacking", "measure msgpack", set<&Cpu::msgpacking>),
    flag("--kernels", "measure every kernel of every chunker", set<&Cpu::kernels>).exact(),
    flag("--sweep", "with --hashing: BLAKE3 over many input sizes, on one thread and on all", set<&Cpu::sweep>).exact(),
    value("--svg", "FILE", "write the figures of --kernels or --sweep as a chart", set<&Cpu::svg>).exact(),
};
constexpr OptionSet kCpuSets[] = {{"options", kCpuOptions, whole}};

Status check_cpu(const void* untyped, const CommonOptions&) {
  const auto& options = *static_cast<const Cpu*>(untyped);
  if (options.sweep && !options.hashing) return fail(Code::Usage, "--sweep needs --hashing.");
  if (options.svg && options.kernels == options.sweep)
    return fail(Code::Usage, "--svg needs either --kernels or --sweep.");
  return {};
}

using Crud = BenchmarkCrudOptions;
constexpr Option kCrudOptions[] = {flag("--json-lines", "print JSON, one line per result", set<&Crud::json_lines>)};
constexpr OptionSet kCrudSets[] = {{"options", kCrudOptions, whole}};
constexpr Positional kCrudPath[] = {{"PATH", "where to create the input data", set<&Crud::path>}};

}  // namespace

constinit const Command kBenchmarkCpu = {
    .name = "benchmark cpu",
    .summary = "measure the computing parts of a backup",
    .description =
        "Measures chunkers, hashes, ciphers, compressors and msgpack in memory, each alone, with the code that create "
        "uses, and prints the seconds and the throughput of each. With section options only these are measured. Run it "
        "on a machine that does nothing else and has memory left.\n\n"
        "Within a section all rows process the same number of bytes: 1 GiB, and 10 MiB for the compressors. They get "
        "text-like data that zstd,3 makes about four times smaller, or, with --data, your own: a file or all files "
        "below a directory, joined, up to 1 GiB, compressed once, in pieces of the row's size.\n\n"
        "BLAKE3 is split over the machine's threads as create does it when they have nothing else to do (see --threads "
        "and BORG_BLAKE3_MT_THRESHOLD); all other rows run on one thread, zstd too unless BORG_ZSTD_MT_WORKERS says "
        "otherwise. The rows aes-256-ctr-hmac-sha256, aes-256-ctr-blake2b and blake2b-256 are how Borg 1 encrypts and "
        "names.\n\n"
        "--kernels shows every chunker with each of its inner loops, the median of three runs, and --hashing --sweep "
        "BLAKE3 from 4 KiB to 64 MiB; --svg draws the one or the other.",
    .sets = kCpuSets,
    .positionals = {},
    .make = make_options<Cpu>,
    .check = check_cpu,
};

constinit const Command kBenchmarkCrud = {
    .name = "benchmark crud",
    .summary = "measure create, extract and delete with a repository",
    .description =
        "Creates files below PATH, backs them up into the repository given by -r or BORG_REPO, which must exist, reads "
        "the archive, backs the unchanged files up again, and deletes the archives; for all-zero and for random "
        "content, and for few large, many medium and very many small files. About 1 GB is needed at PATH and in the "
        "repository. Use a scratch repository made for this: the archives are deleted at the end, but what they stored "
        "stays in the repository until compact. Give the passphrase by a variable: every step opens the repository "
        "anew.\n\n"
        "The lines mean: C create without compression and without the files cache; R read, an extract without writing "
        "files; U create again with nothing changed; D delete the archive. The rate of U and D is virtual: these bytes "
        "are not read.",
    .sets = kCrudSets,
    .positionals = kCrudPath,
    .make = make_options<Crud>,
};

}  // namespace cairn::cli
