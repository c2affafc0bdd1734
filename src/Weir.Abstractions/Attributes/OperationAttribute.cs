namespace Weir;

/// <summary>Gives an operation a name other than its method's; needed where a method is overloaded.</summary>
/// <param name="name">One path segment without a dot, compared without regard to case.</param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class OperationAttribute(string name) : Attribute
{
    /// <summary>The name in paths, logs and metrics.</summary>
    public string Name { get; } = name;
}
