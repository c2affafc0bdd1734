using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

/// <summary>Which folder of a project uses which, and the cycles among them.</summary>
/// <remarks>
/// Found by names, without compiling: a file uses the folder of a type whose name it says, and of an extension method that it calls and for whose
/// namespace it has a using directive. A name that two files of the project declare is left out. Not seen are extension methods of the file's own or an
/// outer namespace or of a global using, and members of a value whose type is not named. Between projects there is no cycle, see <see cref="ProjectGraph"/>.
/// </remarks>
internal sealed class FolderGraph
{
    // By folder, then by the folder it uses: the first place.
    private readonly SortedDictionary<string, SortedDictionary<string, Finding>> _uses = new(StringComparer.Ordinal);

    /// <param name="sources">Files of <c>src</c>.</param>
    public FolderGraph(IEnumerable<SourceFile> sources)
    {
        foreach (var project in sources.GroupBy(static file => FolderOf(file).Split('/')[0]))
        {
            Add([.. project]);
        }
    }

    /// <summary>The folders that use each other, directly or through others; each folder is in one cycle at most.</summary>
    public IReadOnlyList<string[]> Cycles()
    {
        var reached = _uses.Keys.ToDictionary(static folder => folder, ReachedFrom);
        var cycles = _uses.Keys.Where(folder => reached[folder].Contains(folder))
            .Select(folder => reached[folder].Where(other => reached[other].Contains(folder)).Order(StringComparer.Ordinal).ToArray());
        return [.. cycles.DistinctBy(static cycle => cycle[0])];
    }

    /// <summary>How the cycles differ from the known ones.</summary>
    /// <param name="known">The folders of each known cycle.</param>
    public IEnumerable<string> Faults(IReadOnlyCollection<string[]> known)
    {
        var found = Cycles().Select(static cycle => (Folders: cycle, Name: Name(cycle))).ToList();
        foreach (var (folders, name) in found.Where(cycle => !known.Select(Name).Contains(cycle.Name)))
        {
            // A cycle that has grown is explained by a folder that is new in it.
            var from = folders.FirstOrDefault(folder => !known.Any(cycle => cycle.Contains(folder))) ?? folders[0];
            yield return $"a cycle of folders that is not in the list: {name}\n{string.Join('\n', Way(from).Select(static place => $"  {place}"))}";
        }

        foreach (var gone in known.Select(Name).Except(found.Select(static cycle => cycle.Name)))
        {
            yield return $"no cycle of exactly these folders any more; remove it from the list: {gone}";
        }
    }

    private static string Name(IEnumerable<string> folders) => string.Join(", ", folders.Order(StringComparer.Ordinal));

    private static string FolderOf(SourceFile file) => file.Path["src/".Length..file.Path.LastIndexOf('/')];

    private void Add(IReadOnlyList<SourceFile> files)
    {
        var types = files.SelectMany(static file => TypesOf(file).Select(type => (Name: type, File: file))).Distinct().ToLookup(static type => type.Name, static type => type.File);
        var extensions = files.SelectMany(static file => ExtensionsOf(file).Select(method => (Name: method, File: file))).Distinct().ToLookup(static method => method.Name, static method => method.File);
        foreach (var file in files)
        {
            var uses = UsesOf(FolderOf(file));
            var previous = default(SyntaxToken);
            foreach (var token in file.Syntax.DescendantTokens())
            {
                if (token.IsKind(SyntaxKind.IdentifierToken) && token.Parent is SimpleNameSyntax name)
                {
                    var homes = previous.IsKind(SyntaxKind.DotToken)
                        ? extensions[token.ValueText].Where(home => HasUsingOf(file, home)).ToList()
                        : [.. types[token.ValueText]];
                    if (homes is [var home] && FolderOf(home) != FolderOf(file) && !IsText(name) && !IsMember(name))
                    {
                        uses.TryAdd(FolderOf(home), file.At(token, $"uses {token.ValueText} of {FolderOf(home)}"));
                    }
                }

                previous = token;
            }
        }
    }

    private SortedDictionary<string, Finding> UsesOf(string folder)
    {
        if (!_uses.TryGetValue(folder, out var uses))
        {
            _uses.Add(folder, uses = new(StringComparer.Ordinal));
        }

        return uses;
    }

    // Types that other files can name.
    private static IEnumerable<string> TypesOf(SourceFile file) =>
        from member in file.Syntax.DescendantNodes(static node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax).OfType<MemberDeclarationSyntax>()
        where !member.Modifiers.Any(SyntaxKind.FileKeyword)
        let name = member switch
        {
            BaseTypeDeclarationSyntax type => type.Identifier.ValueText,
            DelegateDeclarationSyntax type => type.Identifier.ValueText,
            _ => null,
        }
        where name is not null
        select name;

    private static IEnumerable<string> ExtensionsOf(SourceFile file) =>
        from method in file.Syntax.DescendantNodes().OfType<MethodDeclarationSyntax>()
        where method.ParameterList.Parameters is [var first, ..] && first.Modifiers.Any(SyntaxKind.ThisKeyword)
        select method.Identifier.ValueText;

    // In a nameof it is a word of a message, as a cref is one of a comment.
    private static bool IsText(SimpleNameSyntax name) =>
        name.FirstAncestorOrSelf<InvocationExpressionSyntax>() is { Expression: IdentifierNameSyntax { Identifier.ValueText: "nameof" } };

    // What is set in an initializer, matched in a pattern or passed by its name is a member or a parameter, whatever a type is called.
    private static bool IsMember(SimpleNameSyntax name) =>
        name.Parent is NameColonSyntax || (name.Parent is AssignmentExpressionSyntax { Parent: InitializerExpressionSyntax } assignment && assignment.Left == name);

    // Without this condition every Add of a list would be an extension method of that name.
    private static bool HasUsingOf(SourceFile file, SourceFile home) =>
        home.Syntax.Members.OfType<BaseNamespaceDeclarationSyntax>().FirstOrDefault() is { Name: var space }
        && file.Syntax.Usings.Any(directive => directive.NamespaceOrType.IsEquivalentTo(space));

    private HashSet<string> ReachedFrom(string folder)
    {
        var reached = new HashSet<string>();
        var waiting = new Stack<string>([folder]);
        while (waiting.TryPop(out var next))
        {
            foreach (var used in _uses[next].Keys.Where(reached.Add))
            {
                waiting.Push(used);
            }
        }

        return reached;
    }

    // The places of a shortest way from a folder of a cycle back to itself.
    private List<Finding> Way(string folder)
    {
        var cameFrom = new Dictionary<string, string>();
        var way = new List<Finding>();
        var front = new List<string> { folder };
        while (!cameFrom.ContainsKey(folder))
        {
            front = [.. front.SelectMany(from => _uses[from].Keys.Where(used => cameFrom.TryAdd(used, from)).ToList())];
        }

        var at = folder;
        do
        {
            way.Insert(0, _uses[cameFrom[at]][at]);
            at = cameFrom[at];
        }
        while (at != folder);
        return way;
    }
}
