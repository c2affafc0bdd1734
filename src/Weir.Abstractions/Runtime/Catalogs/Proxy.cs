using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>A typed, always asynchronous way to call a service from code.</summary>
/// <param name="Contract">The interface: the service's own, or the generated <c>I{Class}Client</c>.</param>
/// <param name="Create">Makes the proxy over an invoker.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record Proxy(Type Contract, Func<CallInvoker, object> Create);
