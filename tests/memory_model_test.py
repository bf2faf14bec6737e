"""bench/memory_model: where its answers are known without a model, it gives them."""
import io
import os
import types
import unittest

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench", "memory_model")


def load():
    """A program without the ending of a module; executed by hand, so that no compiled copy is left beside it."""
    module = types.ModuleType("memory_model")
    with open(PATH, encoding="utf-8") as file:
        exec(compile(file.read(), PATH, "exec"), module.__dict__)
    return module


class MemoryModel(unittest.TestCase):
    def setUp(self):
        self.model = load()
        self.curve = self.model.published_curve()

    def throughput(self, workload, threads, cap):
        return self.model.throughput(workload, threads, cap, self.curve, 12)

    def test_one_thread_does_one_part_after_the_other(self):
        for workload in self.model.WORKLOADS:
            _, _, memory, compute = workload
            self.assertAlmostEqual(self.throughput(workload, 1, 1), 1 / (memory + compute), places=6)

    def test_a_cap_that_nobody_meets_changes_nothing(self):
        for workload in self.model.WORKLOADS:
            for threads in (1, 5, 8):
                self.assertEqual(self.throughput(workload, threads, 8), self.throughput(workload, threads, threads))

    def test_nothing_is_faster_than_memory_or_the_processors(self):
        for workload in self.model.WORKLOADS:
            _, traffic, memory, compute = workload
            for threads in self.model.THREADS:
                for cap in (8, threads):
                    rate = self.throughput(workload, threads, cap)
                    self.assertLessEqual(rate, max(self.curve.rates.values()) / traffic + 1e-9)
                    self.assertLessEqual(rate, min(threads, 12 * 1.3) / (memory + compute) + 1e-9)

    def test_plenty_of_memory_means_that_only_processors_count(self):
        fast = self.model.Curve({n: 0.001 for n in range(1, 25)}, 2.0)
        for workload in self.model.WORKLOADS:
            _, _, memory, compute = workload
            self.assertAlmostEqual(self.model.throughput(workload, 12, 12, fast, 12), 12 / (memory + compute), places=6)

    def test_points_between_measured_ones(self):
        curve = self.model.Curve({1: 1000.0, 3: 500.0}, 1.0)
        self.assertAlmostEqual(curve.rate(2), 1.5)
        self.assertAlmostEqual(curve.rate(9), 2.0)

    def test_the_published_gains_are_possible(self):
        out = io.StringIO()
        self.model.explain(self.curve, 8, out)
        for line in out.getvalue().splitlines()[1:]:
            self.assertRegex(line, r"\(\d{1,2} %\)")

    def test_text_without_points_is_refused(self):
        with self.assertRaises(ValueError):
            self.model.points_of("none")


if __name__ == "__main__":
    unittest.main()
