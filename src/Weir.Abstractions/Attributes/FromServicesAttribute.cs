namespace Weir;

/// <summary>The parameter comes from the call's services, not from the caller.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class FromServicesAttribute : Attribute;
