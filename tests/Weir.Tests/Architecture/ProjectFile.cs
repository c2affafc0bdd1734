using System.Xml.Linq;

namespace Weir.Tests.Architecture;

/// <summary>What a project file references.</summary>
internal sealed class ProjectFile(string path, string text)
{
    private readonly XElement _project = XElement.Parse(text);

    public string Path { get; } = path;

    public string Name { get; } = System.IO.Path.GetFileNameWithoutExtension(path);

    /// <summary>Whether it is in <c>src</c>.</summary>
    public bool IsShipped => Path.StartsWith("src/", StringComparison.Ordinal);

    /// <summary>Projects whose assemblies it is compiled against.</summary>
    public string[] Projects => [.. ProjectReferences.Where(item => !IsBuildOrder(item)).Select(NameOf)];

    /// <summary>Those of <see cref="Projects"/> whose analyzers are not passed on to the application.</summary>
    public string[] ProjectsWithoutAnalyzers =>
        [.. ProjectReferences.Where(item => !IsBuildOrder(item) && Attribute(item, "PrivateAssets") != "none").Select(NameOf)];

    /// <summary>Packages it uses on every target.</summary>
    public string[] Packages => [.. Items("PackageReference").Where(item => !IsConditional(item)).Select(Include)];

    /// <summary>Packages it uses on some targets only.</summary>
    public string[] ConditionalPackages => [.. Items("PackageReference").Where(IsConditional).Select(Include)];

    /// <summary>Shared frameworks beyond the BCL.</summary>
    public string[] Frameworks => [.. Items("FrameworkReference").Select(Include)];

    /// <summary>Assemblies that see its internals.</summary>
    public string[] Friends => [.. Items("InternalsVisibleTo").Select(Include)];

    private IEnumerable<XElement> ProjectReferences => Items("ProjectReference");

    private IEnumerable<XElement> Items(string name) =>
        _project.Descendants(name).Where(item => item.Attribute("Include") is not null);

    private static bool IsBuildOrder(XElement item) => Attribute(item, "ReferenceOutputAssembly") == "false";

    private static bool IsConditional(XElement item) =>
        item.AncestorsAndSelf().Any(element => element.Attribute("Condition") is not null);

    private static string? Attribute(XElement item, string name) => (string?)item.Attribute(name);

    private static string Include(XElement item) => (string)item.Attribute("Include")!;

    private static string NameOf(XElement item) => System.IO.Path.GetFileNameWithoutExtension(Include(item).Replace('\\', '/'));
}
