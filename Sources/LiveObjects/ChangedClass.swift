/// Makes an object an instance of another class, for a library that lets nobody choose the class.
///
/// On Linux the first word of an object is its class and nothing else.
///
/// - Parameter type: has the stored properties of the present class, no more and no less.
package func changeClass(of object: AnyObject, to type: AnyClass) {
  Unmanaged.passUnretained(object).toOpaque()
    .storeBytes(of: UInt(bitPattern: ObjectIdentifier(type)), as: UInt.self)
}
