namespace Weir;

/// <summary>
/// Names the <c>JsonSerializerContext</c> whose metadata is used for types that only <c>System.Text.Json</c> can read and write, a
/// dictionary for example: in workers always, over HTTP before the application's own resolver. An assembly names at most one. Its
/// <c>[JsonSerializable]</c> attributes list the types of parameters, results and items; its own options are not used.
/// </summary>
/// <param name="contextType">A class derived from <c>JsonSerializerContext</c> with at least one <c>[JsonSerializable]</c>.</param>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class WeirJsonAttribute(Type contextType) : Attribute
{
    /// <summary>The class derived from <c>JsonSerializerContext</c>.</summary>
    public Type ContextType { get; } = contextType;
}
