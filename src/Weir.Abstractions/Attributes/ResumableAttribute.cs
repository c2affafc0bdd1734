namespace Weir;

/// <summary>
/// Lets a caller whose connection was cut continue a stream after the last item it received: with the header <c>Last-Event-ID</c>, which
/// browsers' <c>EventSource</c> sends by itself. The operation has a parameter <c>long from = 0</c> and produces the items from this index on: it
/// runs again for the rest of the items, after a restart or on another replica too. Belongs on the method of the interface, where there is one. On
/// an operation that cannot be resumed it is a build error (WEIR1052).
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ResumableAttribute : Attribute;
