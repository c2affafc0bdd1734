using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>
/// Writes the declarations of <c>init</c> accessors. An object initializer would replace the values of the class's own initializers, also
/// where nothing was sent; the runtime binds these declarations to the accessors, without reflection.
/// </summary>
internal static class AccessorEmitter
{
    public static void Write(SourceWriter code, MemberModel member)
    {
        if (member.Accessor is not { } accessor)
        {
            return;
        }

        code.Line();
        if (accessor.TypeParameters.Length == 0)
        {
            Declaration(code, accessor, "private", Name(member.Property));
            return;
        }

        // The type's parameters must be those of a class: the runtime compares the declarations as they are written.
        code.Block($"private static class {Name(member.Property)}<{accessor.TypeParameters}>{accessor.Constraints}", () => Declaration(code, accessor, "internal", "Set"));
    }

    /// <summary>An expression that sets the property.</summary>
    public static string Call(AccessorModel accessor, string property, string target, string value) =>
        $"{Name(property)}{(accessor.TypeParameters.Length == 0 ? "" : $"<{accessor.TypeArguments}>.Set")}({(accessor.IsStructure ? "ref " : "")}{target}, {value})";

    private static void Declaration(SourceWriter code, AccessorModel accessor, string access, string name)
    {
        code.Line($"[global::System.Runtime.CompilerServices.UnsafeAccessor(global::System.Runtime.CompilerServices.UnsafeAccessorKind.Method, Name = {JsonCode.Quote(accessor.Name)})]");
        code.Line($"{access} static extern void {name}({(accessor.IsStructure ? "ref " : "")}{accessor.Owner} target, {accessor.Value} value);");
    }

    private static string Name(string property) => "Init_" + property;
}
