namespace Weir;

/// <summary>
/// Running the operation twice does no harm: a call whose worker failed is run again in another worker, unless its caller has already
/// received part of its result. Without it a call is run at most once, and the caller gets the worker failure. Belongs on the method of
/// the interface, where there is one; <see cref="GetAttribute"/> alone does not imply it. No effect on operations that run in the
/// host: no worker can fail there. A call whose streamed request has begun is never run again: its items are gone.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class IdempotentAttribute : Attribute;
