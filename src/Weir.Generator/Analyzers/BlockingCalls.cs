using Microsoft.CodeAnalysis;

namespace Weir.Generator.Analyzers;

/// <summary>The listed APIs that block their thread. Immutable; used concurrently.</summary>
internal sealed class BlockingCalls
{
    // By kind, type and name; the value is what to await instead, or null.
    private readonly Dictionary<string, string?> _members = [];
    private readonly HashSet<string> _names = [];
    private readonly HashSet<string> _excluded = [];

    private BlockingCalls(TextReader list)
    {
        while (list.ReadLine() is { } line)
        {
            if (line.StartsWith("-T:", StringComparison.Ordinal))
            {
                _excluded.Add(line.Substring(1).Trim());
            }
            else if (line.Length > 0 && line[0] != '#')
            {
                var parts = line.Split('|');
                var id = parts[0].Trim();
                _members.Add(id, parts.Length > 1 ? parts[1].Trim() : null);
                _names.Add(id.Substring(id.LastIndexOf('.') + 1));
            }
        }
    }

    /// <summary>The list in this assembly.</summary>
    public static BlockingCalls Load()
    {
        using var list = new StreamReader(typeof(BlockingCalls).Assembly.GetManifestResourceStream("BlockingCalls.txt")!);
        return new BlockingCalls(list);
    }

    /// <summary>Whether a method or property blocks.</summary>
    /// <param name="member">What is called.</param>
    /// <param name="receiver">The type on which it is called; <c>null</c> for a static member.</param>
    /// <param name="instead">What to await instead; <c>null</c> for nothing.</param>
    public bool IsBlocking(ISymbol member, ITypeSymbol? receiver, out string? instead)
    {
        instead = null;
        if (!_names.Contains(member.Name))
        {
            return false;
        }

        for (var type = receiver; type is not null; type = type.BaseType)
        {
            if (_excluded.Contains(Id(type)))
            {
                return false;
            }
        }

        for (var current = member.OriginalDefinition; current is not null; current = (current as IMethodSymbol)?.OverriddenMethod?.OriginalDefinition)
        {
            if (current.ContainingType is { } declaring && _members.TryGetValue($"{(current is IPropertySymbol ? 'P' : 'M')}{Id(declaring).Substring(1)}.{current.Name}", out instead))
            {
                return true;
            }
        }

        return false;
    }

    private static string Id(ITypeSymbol type) => DocumentationCommentId.CreateDeclarationId(type.OriginalDefinition) ?? "";
}
