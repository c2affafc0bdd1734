namespace Weir;

/// <summary>Hides a public method of a service: it is not routed and no proxy has it.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class IgnoreOperationAttribute : Attribute;
