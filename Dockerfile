# LiveObjects and a Swift toolchain, to run the tests of the package in the current folder:
#
#   docker build --build-arg SWIFT=6.3 --tag liveobjects .
#   docker run --rm --volume "$PWD:$PWD" --workdir "$PWD" liveobjects test --scratch-path .build/container
#
# A build folder names the folder that it is in: that of the host and that of the container must differ.
ARG SWIFT=6.3

FROM swift:${SWIFT} AS build
COPY . /LiveObjects
RUN /LiveObjects/scripts/install /opt/liveobjects

FROM swift:${SWIFT}
COPY --from=build /opt/liveobjects /usr/local
ENTRYPOINT ["liveobjects"]
