// LiveObjectsPreload.h - the preload library has no API.
//
// It is loaded with LD_PRELOAD and takes its settings from LIVEOBJECTS_OPTIONS
// (Documentation/guides/options.md). A program that wants an API links LiveObjects.
