"""What the program says where CUDA cannot be used. The driver is a stub on the loader's path (tests/stub_driver)."""
import ctypes
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["GPUBENCH"]
STUB_FOLDER = os.path.join(os.environ["GPUBENCH_BUILD"], "tests", "stub_driver")
HAS_CUDA = os.path.exists(os.path.join(STUB_FOLDER, "libcuda.so.1"))
COMMANDS = (["info", "--device", "cuda"], ["run", "vector_add", "--device", "cuda"])
NO_DEVICE = 3
USAGE = 2


def gpubench(arguments, driver_folder=None, **settings):
    environment = {k: v for k, v in os.environ.items()
                   if k != "CUDA_VISIBLE_DEVICES" and not k.startswith("STUB_DRIVER_")}
    if driver_folder:
        path = environment.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = driver_folder + (os.pathsep + path if path else "")
    environment.update(settings)
    return subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=120,
                          check=False)


def real_driver_is_installed():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


class RefusalTest(unittest.TestCase):
    def assert_refused(self, words, driver_folder=None, **settings):
        """Every command that insists on cuda ends with exit 3 and one sentence that holds all the words."""
        for command in COMMANDS:
            with self.subTest(command=" ".join(command)):
                result = gpubench(command, driver_folder, **settings)
                self.assertEqual(result.returncode, NO_DEVICE, result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                for word in words:
                    self.assertIn(word, result.stderr)


@unittest.skipUnless(HAS_CUDA, "this build has no CUDA")
class DriverErrorsTest(RefusalTest):
    def assert_driver_refused(self, words, **settings):
        self.assert_refused(words, STUB_FOLDER, **settings)

    @unittest.skipIf(real_driver_is_installed(), "a driver is installed here")
    def test_no_driver_is_named_as_such(self):
        self.assert_refused(["no NVIDIA driver is installed", "libcuda.so.1"])

    def test_a_damaged_driver_library_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "libcuda.so.1"), "w", encoding="ascii") as file:
                file.write("not a library, but longer than the header of one would be: " + "x" * 64)
            self.assert_refused(["driver library cannot be loaded", "libcuda.so.1"], folder)

    def test_an_old_driver_is_named_with_both_versions(self):
        self.assert_driver_refused(["too old", "CUDA 11.4", "was built with CUDA 1"], STUB_DRIVER_VERSION="11040")

    def test_a_machine_without_a_gpu(self):
        self.assert_driver_refused(["the NVIDIA driver finds no GPU"])

    def test_an_empty_cuda_visible_devices_is_the_reason(self):
        self.assert_driver_refused(["CUDA_VISIBLE_DEVICES is set to nothing"], CUDA_VISIBLE_DEVICES="")

    def test_a_cuda_visible_devices_that_names_nothing_is_shown(self):
        self.assert_driver_refused(["CUDA_VISIBLE_DEVICES='7'"], CUDA_VISIBLE_DEVICES="7")

    def test_an_unknown_uuid_in_cuda_visible_devices_is_shown(self):
        self.assert_driver_refused(["CUDA_VISIBLE_DEVICES='GPU-1234'"], CUDA_VISIBLE_DEVICES="GPU-1234",
                                   STUB_DRIVER_INIT="101")

    def test_kernel_module_and_library_of_different_versions(self):
        self.assert_driver_refused(["different versions", "reboot"], STUB_DRIVER_INIT="803")

    def test_a_compatibility_library_that_does_not_serve_the_gpu(self):
        self.assert_driver_refused(["compatibility package"], STUB_DRIVER_INIT="804")

    def test_system_services_that_do_not_run(self):
        self.assert_driver_refused(["cudaErrorSystemNotReady", "nvidia-fabricmanager"], STUB_DRIVER_INIT="802")

    def test_an_ecc_error_is_told_with_advice(self):
        self.assert_driver_refused(["cudaErrorECCUncorrectable", "nvidia-smi"], STUB_DRIVER_INIT="214")

    def test_any_other_failure_is_told_by_cudas_name(self):
        self.assert_driver_refused(["cudaErrorUnknown", "dmesg"], STUB_DRIVER_INIT="999")

    def test_a_numbered_device_gives_the_same_reason(self):
        result = gpubench(["info", "--device", "cuda:1"], STUB_FOLDER)
        self.assertEqual(result.returncode, NO_DEVICE)
        self.assertIn("cuda:1", result.stderr)
        self.assertIn("the NVIDIA driver finds no GPU", result.stderr)

    def test_info_without_a_device_tells_the_reason_and_the_host(self):
        result = gpubench(["info"], STUB_FOLDER, STUB_DRIVER_VERSION="11040")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("too old", " ".join(result.stdout.split()))
        self.assertIn("host", result.stdout)

    def test_auto_runs_on_the_host_and_says_why_in_one_line(self):
        result = gpubench(["run", "vector_add", "--N", "1000", "--variant", "single_thread", "--device", "auto",
                           "--max-seconds", "0.05", "--warmup-seconds", "0"], STUB_FOLDER)
        self.assertEqual(result.returncode, 0, result.stderr)
        notes = [line for line in result.stderr.splitlines() if "running on the host: " in line]
        self.assertEqual(len(notes), 1, result.stderr)
        self.assertIn("the NVIDIA driver finds no GPU", notes[0])


@unittest.skipIf(HAS_CUDA, "this build has CUDA")
class HostOnlyBuildTest(RefusalTest):
    def test_a_build_without_cuda_says_so(self):
        self.assert_refused(["built without CUDA"])


class DeviceNameTest(unittest.TestCase):
    def test_what_is_no_device_is_refused_with_what_is_allowed(self):
        for text in ("gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:+1", "cuda:1 ", "CUDA", "host:0"):
            with self.subTest(device=text):
                result = gpubench(["info", "--device", text])
                self.assertEqual(result.returncode, USAGE, result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertIn("cuda:N", result.stderr)

    def test_a_number_past_every_device_is_a_device_that_is_not_there(self):
        result = gpubench(["info", "--device", "cuda:99999999999999999999"])
        self.assertEqual(result.returncode, NO_DEVICE, result.stderr)
        self.assertIn("cuda:99999999999999999999", result.stderr)


if __name__ == "__main__":
    unittest.main()
