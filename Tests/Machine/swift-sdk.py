#!/usr/bin/env python3
"""Writes a Swift SDK (an artifact bundle) for the file system of the emulated machine.

usage: swift-sdk.py SYSROOT BUNDLE      then: swift build --swift-sdks-path FOLDER_OF_BUNDLE --swift-sdk aarch64
SYSROOT as the compiler sees it: in a chroot, another path than here.
"""
import json, pathlib, sys

sysroot, bundle = sys.argv[1], pathlib.Path(sys.argv[2])
runtime = "/usr/libexec/swift/lib/swift"
root = f"--sysroot={sysroot}"
contents = {
    "info.json": {"schemaVersion": "1.0", "artifacts": {"aarch64": {
        "type": "swiftSDK", "version": "1", "variants": [{"path": "aarch64"}]}}},
    "aarch64/swift-sdk.json": {"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {
        "sdkRootPath": sysroot, "swiftResourcesPath": sysroot + runtime,
        "swiftStaticResourcesPath": sysroot + runtime + "_static", "toolsetPaths": ["toolset.json"]}}},
    "aarch64/toolset.json": {
        "schemaVersion": "1.0", "rootPath": "/usr/libexec/swift/bin",
        "swiftCompiler": {"extraCLIOptions": [
            "-use-ld=lld", "-Xclang-linker", root, "-no-toolchain-stdlib-rpath"]},
        # -fPIC: SwiftPM adds it for the host only.
        "cCompiler": {"extraCLIOptions": ["-fPIC", root]},
        "cxxCompiler": {"extraCLIOptions": ["-fPIC", root]}},
}
for name, value in contents.items():
    path = bundle / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")
