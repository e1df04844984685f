//===--- CLiveObjectsStart.h - tracking from the start of a binary --------===//
//
// Nothing to call: a binary that links this target is tracked from its
// constructors on, before its own code makes an object.
//
//===----------------------------------------------------------------------===//
