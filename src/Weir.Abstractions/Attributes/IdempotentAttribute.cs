namespace Weir;

/// <summary>
/// Running the operation twice does no harm: a call whose worker died is run again in another one, as long as its caller has seen
/// nothing of it. Without it a call is run at most once, and the caller learns that the worker was lost. On the method of the
/// interface, where there is one; <see cref="GetAttribute"/> alone does not say so. Says nothing about operations that run in the
/// host: there is no death to survive. A call whose streamed request has begun is never run again: its items are gone.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class IdempotentAttribute : Attribute;
