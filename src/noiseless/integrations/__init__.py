"""Where data people work: tests, checks of frames, estimators. Each needs the library that it is for."""
