"""docs/adding-a-kernel.md shows the files of tests/example/ as they are."""

import pathlib
import re
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parent
ROOT = EXAMPLE.parents[1]
PAGE = ROOT / "docs" / "adding-a-kernel.md"
# A line that names the file, then the block.
SHOWN = re.compile(r"^`(tests/example/[\w.]+)`:\n\n```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Documentation(unittest.TestCase):
    def test_every_block_is_the_file_it_names(self):
        for path, text in SHOWN.findall(PAGE.read_text()):
            with self.subTest(path):
                self.assertEqual(text, (ROOT / path).read_text())

    def test_every_file_of_the_example_is_shown(self):
        shown = {path for path, _ in SHOWN.findall(PAGE.read_text())}
        sources = {f"tests/example/{file.name}" for file in EXAMPLE.iterdir()
                   if file.suffix in (".cpp", ".cu", ".hpp") and file.stem != "example_test"}
        self.assertEqual(shown, sources)

    def test_the_paths_it_names_exist(self):
        for path in re.findall(r"`((?:src|kernels|tests|tools|results)/[\w./-]+\.?\w*/?)`", PAGE.read_text()):
            if path != "results/nvidia-h200/pending.txt":
                with self.subTest(path):
                    self.assertTrue((ROOT / path).exists())


if __name__ == "__main__":
    unittest.main()
