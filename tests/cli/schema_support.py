"""Reads a document as strictly as gpubench does and holds it against its schema."""
import json
import os
import unittest

SOURCE = os.environ.get(
    "GPUBENCH_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def _unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key is given twice among {keys}")
    return dict(pairs)


def _no_constant(text):
    raise ValueError(f"{text} is not JSON")


def parse(text):
    """JSON without NaN, Infinity or keys given twice."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)


def read(path):
    with open(path, encoding="utf-8") as file:
        return parse(file.read())


def schema(name="result"):
    """docs/result.schema.json or docs/suite.schema.json."""
    return read(os.path.join(SOURCE, "docs", f"{name}.schema.json"))


def faults(document, name="result"):
    """What of the document does not fit the schema, one line each. Skips the test without jsonschema."""
    try:
        import jsonschema
    except ImportError:
        raise unittest.SkipTest("the Python package jsonschema is not installed") from None
    validator = jsonschema.Draft202012Validator(
        schema(name), format_checker=jsonschema.FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


class SchemaTestCase(unittest.TestCase):
    maxDiff = None

    def assert_fits(self, document, name="result"):
        self.assertEqual(faults(document, name), [])
