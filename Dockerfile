# Two images:
#   docker build --target base -t rankproof .                  commands on files that are mounted at /data
#   docker build --target workbench -t rankproof-workbench .   judging in a browser, the store in the volume /data
# docs/docker.md says how to run them.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
# The compiler is that of the image's own Debian release, and stays in this stage.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:${PYTHON}-slim AS base
COPY constraints.txt /wheels/constraints.txt
COPY --from=build /wheels /wheels
# The wheel by its file: by its name, pip could take another from the package index.
RUN pip install --no-cache-dir -c /wheels/constraints.txt /wheels/rankproof-*.whl \
    && useradd --uid 1000 --create-home rankproof \
    && mkdir /data \
    && chown rankproof /data
USER 1000
WORKDIR /data
ENTRYPOINT ["rankproof"]
CMD ["--help"]

FROM base AS workbench
USER 0
RUN pip install --no-cache-dir -c /wheels/constraints.txt "$(echo /wheels/rankproof-*.whl)[judge]"
USER 1000
VOLUME ["/data"]
EXPOSE 8080
# Answers only to the loopback address: a port that is published by accident serves nobody else. docs/docker.md has the
# command for a team, with https and a public name.
CMD ["serve", "judging.db", "--host", "0.0.0.0", "--public-name", "127.0.0.1", "--plain-http"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/sign-in', timeout=4)"]
