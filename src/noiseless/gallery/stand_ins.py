"""Small invented data sets of the form of the public ones, so that every figure can be made without them.

They are drawn at random with a fixed seed, and look like the real ones only from afar: what a figure finds on
them says nothing about the papers.
"""

# ruff: noqa: PLR2004 - shares, heights and ages of people who do not exist

import numpy as np
import pyarrow as pa

from noiseless.arrays import FloatArray, IntArray

_SEED = 20_240_229

_HOUSEHOLDS, _DAYS, _HALF_HOURS = 32, 28, 48
_READINGS = 8_000
_TRIPS, _PATIENTS, _YOUNG, _ADULTS = 3_000, 293, 400, 2_000


def _draw(name: str) -> np.random.Generator:
    """Random numbers of a data set's own, whichever others are made."""
    return np.random.Generator(np.random.PCG64([_SEED, *name.encode()]))


def meters() -> FloatArray:
    """Four weeks of half hours: a base load, a morning, an evening, now and then a kettle."""
    draw = _draw("meters")
    hour = np.tile(np.arange(_HALF_HOURS) / 2, _DAYS)[:, None]
    shape = (len(hour), _HOUSEHOLDS)
    base = draw.gamma(4, 0.02, _HOUSEHOLDS)
    load = np.broadcast_to(base, shape).copy()
    for middle, width in ((7.5, 1.2), (19.0, 2.5)):
        peak = middle + draw.normal(0, 1, _HOUSEHOLDS)
        size = draw.gamma(3, 0.08, _HOUSEHOLDS)
        load += size * np.exp(-(((hour - peak) / width) ** 2) / 2) * draw.gamma(4, 0.25, shape)
    load += (draw.random(shape) < 0.03) * draw.gamma(3, 0.4, shape)
    return np.round(load, 3)


def redd() -> tuple[IntArray, dict[str, IntArray]]:
    """Five circuits that go on and off at random, each with its own power, and a base load."""
    draw = _draw("redd")
    loads = {
        "refrigerator_ch5": (190, 0.02, 0.03),
        "dishwasher_ch6": (1_200, 0.002, 0.02),
        "kitchen_outlets_ch8": (300, 0.004, 0.04),
        "lighting_ch9": (80, 0.01, 0.01),
        "microwave_ch11": (1_520, 0.004, 0.06),
    }
    circuits = {name: _switched(draw, *load) for name, load in loads.items()}
    rest = 90 + draw.integers(0, 12, _READINGS)
    mains = sum(circuits.values(), start=rest)
    return mains, circuits


def _switched(draw: np.random.Generator, power: int, on: float, off: float) -> IntArray:
    """The power of an appliance that is switched on and off with these chances at each reading."""
    chances, state = draw.random(_READINGS), False
    states = np.zeros(_READINGS, dtype=bool)
    for i, chance in enumerate(chances):
        state = chance >= off if state else chance < on
        states[i] = state
    return np.where(states, power + draw.integers(-power // 20, power // 20 + 1, _READINGS), 2)


def taxi() -> pa.Table:
    """Trips between a few busy places, and some between anywhere and anywhere."""
    draw = _draw("taxi")
    places = np.array([(-73.98, 40.76), (-73.99, 40.73), (-73.96, 40.78), (-73.79, 40.645), (-73.87, 40.77)])
    ends = []
    for _ in range(2):
        chosen = places[draw.choice(len(places), _TRIPS, p=(0.4, 0.25, 0.2, 0.07, 0.08))]
        near = chosen + draw.normal(0, 0.012, (_TRIPS, 2))
        far = draw.uniform((-74.27, 40.49), (-73.68, 40.92), (_TRIPS, 2))
        ends.append(np.round(np.where(draw.random((_TRIPS, 1)) < 0.05, far, near), 6))
    (pickup, dropoff) = ends
    distance = np.hypot(*(pickup - dropoff).T)
    return pa.table(
        {
            "pickup_lon": pickup[:, 0],
            "pickup_lat": pickup[:, 1],
            "dropoff_lon": dropoff[:, 0],
            "dropoff_lat": dropoff[:, 1],
            "fare_amount": np.round(2.5 + 180 * distance + draw.gamma(2, 1, _TRIPS), 1),
            "passenger_count": draw.integers(1, 7, _TRIPS),
            "hour": draw.integers(0, 24, _TRIPS),
            "dow": draw.integers(0, 7, _TRIPS),
        }
    )


def heart() -> pa.Table:
    """Patients whose cholesterol rises somewhat with their age; now and then it is missing."""
    draw = _draw("heart")
    n = _PATIENTS
    age = np.clip(np.round(draw.normal(48, 8, n)), 28, 66).astype(np.int64)
    chol = np.clip(np.round(200 + 1.0 * (age - 28) + draw.normal(0, 55, n)), 85, 603).astype(np.int64)
    thalach = np.clip(np.round(200 - 1.2 * age + draw.normal(0, 22, n)), 82, 190).astype(np.int64)
    return pa.table(
        {
            "age": age,
            "sex": (draw.random(n) < 0.72).astype(np.int64),
            "cp": draw.choice([1, 2, 3, 4], n, p=(0.04, 0.36, 0.18, 0.42)),
            "trestbps": (np.round(draw.normal(132, 17, n) / 5) * 5).astype(np.int64),
            "chol": pa.array(chol, mask=draw.random(n) < 0.08),
            "fbs": (draw.random(n) < 0.07).astype(np.int64),
            "restecg": draw.choice([0, 1, 2], n, p=(0.8, 0.18, 0.02)),
            "thalach": thalach,
            "exang": (draw.random(n) < 0.3).astype(np.int64),
            "oldpeak": np.round(np.maximum(0, draw.normal(0.3, 1, n)) * 2) / 2,
            "slope": pa.array(draw.integers(1, 4, n), mask=draw.random(n) < 0.65),
            "ca": pa.array(np.zeros(n, dtype=np.int64), mask=draw.random(n) < 0.98),
            "thal": pa.array(draw.choice([3, 6, 7], n), mask=draw.random(n) < 0.9),
            "num": (draw.random(n) < 0.36).astype(np.int64),
        }
    )


def young_people() -> pa.Table:
    """Young women and men with heights and weights that go together; some do not say."""
    draw = _draw("young-people")
    n = _YOUNG
    woman = draw.random(n) < 0.59
    height = np.round(np.where(woman, 168, 181) + draw.normal(0, 6.5, n)).astype(np.int64)
    mass = np.where(woman, 21.5, 23.5) * (1 + draw.normal(0, 0.16, n))
    weight = np.round(np.maximum(mass, 16) * (height / 100) ** 2).astype(np.int64)
    return pa.table(
        {
            "Age": draw.integers(15, 31, n),
            "Height": pa.array(height, mask=draw.random(n) < 0.02),
            "Weight": pa.array(weight, mask=draw.random(n) < 0.02),
            "Gender": np.where(woman, "female", "male"),
        }
    )


def adult() -> pa.Table:
    """People with an age, a schooling, hours of work and a class of salary; most are much alike."""
    draw = _draw("adult")
    n = _ADULTS
    age = np.clip(np.round(17 + draw.gamma(2.6, 8.3, n)), 17, 90).astype(np.int64)
    schooling = np.clip(np.round(draw.normal(10, 2.5, n)), 1, 16).astype(np.int64)
    single = draw.random(n) < np.clip((40 - age) / 20, 0.1, 0.9)
    rich = ~single & (draw.random(n) < 0.04 * np.maximum(schooling - 5, 0))
    words = {
        "workclass": {"Private": 0.75, "Self-emp-not-inc": 0.1, "Local-gov": 0.1, "?": 0.05},
        "occupation": {"Craft-repair": 0.3, "Sales": 0.3, "Exec-managerial": 0.25, "Other-service": 0.15},
        "race": {"White": 0.88, "Black": 0.09, "Asian-Pac-Islander": 0.03},
        "sex": {"Male": 0.67, "Female": 0.33},
        "native-country": {"United-States": 0.93, "Mexico": 0.04, "Philippines": 0.03},
    }
    drawn = {name: draw.choice(list(texts), n, p=list(texts.values())) for name, texts in words.items()}
    degrees = np.array(("HS-grad", "Some-college", "Bachelors", "Masters"))
    columns = {
        "age": age,
        "fnlwgt": draw.integers(12_000, 500_000, n),
        "education": degrees[np.searchsorted((10, 12, 14), schooling)],
        "education-num": schooling,
        "marital-status": np.where(single, "Never-married", "Married-civ-spouse"),
        "relationship": np.where(single, "Not-in-family", "Husband"),
        "capital-gain": np.where(draw.random(n) < 0.08, draw.integers(1, 20, n) * 1_000, 0),
        "capital-loss": np.where(draw.random(n) < 0.05, 1_900, 0),
        "hours-per-week": np.clip(np.round(draw.normal(40, 12, n)), 1, 99).astype(np.int64),
        "salary-class": np.where(rich, ">50K", "<=50K"),
    }
    order = (
        *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
        *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
        *("native-country", "salary-class"),
    )
    return pa.table({name: (columns | drawn)[name] for name in order})
