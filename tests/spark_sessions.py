"""One local Spark for all tests of a process: small, quiet, and skipped where Java or PySpark is missing."""

import atexit
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
from functools import cache
from typing import Any

import pytest

MISSING = next(
    (
        reason
        for reason, there in {
            "Java is not installed": shutil.which("java") or os.environ.get("JAVA_HOME"),
            "PySpark is not installed: pip install 'noiseless[spark]'": importlib.util.find_spec("pyspark"),
        }.items()
        if not there
    ),
    None,
)
"""Why Spark cannot be tested here; None when it can."""

needs_spark = [
    pytest.mark.skipif(MISSING is not None, reason=str(MISSING)),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark leaves sockets to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

_OPTIONS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # tests are over too soon
    "spark.sql.codegen.wholeStage": "false",  # for more to pay off,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # and for expressions to be compiled
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",  # tables here are tiny, and plans that adapt take longer to make
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@cache
def spark() -> Any:  # noqa: ANN401 - a SparkSession
    """The session."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    folder = tempfile.mkdtemp(prefix="noiseless-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    builder = SparkSession.builder.appName("noiseless").config("spark.sql.warehouse.dir", folder)
    for name, value in _OPTIONS.items():
        builder = builder.config(name, value)
    before = signal.getsignal(signal.SIGINT), list(sys.path)
    session = builder.getOrCreate()
    signal.signal(signal.SIGINT, before[0])  # PySpark's own would cancel jobs first
    sys.path[:] = before[1]
    return session
