namespace Weir.OpenApi;

/// <summary>The name of a type together with some of the names that enclose it, in the form of ASP.NET Core's names of schemas.</summary>
internal static class QualifiedName
{
    /// <summary>How many names enclose a type, or an argument of it, at most.</summary>
    internal static int Depth(Type type) => Math.Max(Enclosing(type).Count, Parts(type).Select(Depth).DefaultIfEmpty().Max());

    /// <summary>The name of a type.</summary>
    /// <param name="type">The type.</param>
    /// <param name="outer">How many enclosing names it has.</param>
    /// <param name="inner">How many its arguments have.</param>
    internal static string Of(Type type, int outer, int inner)
    {
        if (type.IsArray)
        {
            return "ArrayOf" + Of(type.GetElementType()!, inner, inner);
        }

        var simple = type.Name.Split('`')[0];
        var own = string.Concat(Enclosing(type).TakeLast(outer)) + simple;
        var parts = Parts(type).Select(part => Of(part, inner, inner)).ToList();
        return parts.Count == 0 ? own : $"{own}Of{string.Join("And", parts)}";
    }

    private static Type[] Parts(Type type) => type.IsArray ? [type.GetElementType()!] : type.GetGenericArguments();

    // Namespace and enclosing types, the outermost first.
    private static List<string> Enclosing(Type type)
    {
        var types = new List<string>();
        for (var one = type.DeclaringType; one is not null; one = one.DeclaringType)
        {
            types.Insert(0, one.Name.Split('`')[0]);
        }

        return [.. (type.Namespace ?? "").Split('.', StringSplitOptions.RemoveEmptyEntries), .. types];
    }
}
