namespace Weir;

/// <summary>
/// Lets a caller whose connection was cut continue a stream after the last item it received: with the header <c>Last-Event-ID</c>, which
/// browsers' <c>EventSource</c> and generated clients send by themselves. An operation with a parameter <c>long from = 0</c> produces the
/// items again from an index on (<see cref="Resumption.Source"/>): this works after a restart and on another replica. Any other operation
/// keeps running, and its items are kept in the memory of this process for a while (<see cref="Resumption.Buffer"/>). Belongs on the method of
/// the interface, where there is one. On an operation that cannot be resumed it is a build error (WEIR1052).
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ResumableAttribute : Attribute;
