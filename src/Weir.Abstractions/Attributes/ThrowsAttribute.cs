namespace Weir;

/// <summary>
/// An exception the operation may throw and its callers may catch by its own type, also when the operation ran in a worker: it is
/// re-created from its message, with the stack trace of the worker. Exactly this type; a derived type needs an attribute of its
/// own. What is not declared arrives as <see cref="RemoteException"/>. Belongs on the method of the interface, where there is one.
/// </summary>
/// <param name="exception">
/// A class with a public constructor that takes one text, the message; not generic, and visible to the generated code. Anything
/// else is a build error (WEIR1015).
/// </param>
[AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
public sealed class ThrowsAttribute(Type exception) : Attribute
{
    /// <summary>The exception's type.</summary>
    public Type Exception { get; } = exception;

    /// <summary>
    /// The HTTP status of a call that ends with it, with its message as the problem's detail; 400 to 599, anything else is a build error
    /// (WEIR1015). Default 0: the call ends as after any exception, with 500 and without the message.
    /// </summary>
    public int Status { get; set; }
}
