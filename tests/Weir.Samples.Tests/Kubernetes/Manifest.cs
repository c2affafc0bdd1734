using System.Globalization;
using YamlDotNet.RepresentationModel;

namespace Weir.Samples.Tests.Kubernetes;

/// <summary>A document of a file for Kubernetes, or a part of one. What is asked for and missing is an error that has its path.</summary>
internal sealed class Manifest
{
    private readonly YamlNode _node;
    private readonly string _path;

    private Manifest(YamlNode node, string path) => (_node, _path) = (node, path);

    /// <summary>Its text, where it is a scalar.</summary>
    public string Text => _node is YamlScalarNode { Value: { } value } ? value : throw new InvalidOperationException($"{_path} is no scalar.");

    /// <summary>Its number, where it is a scalar.</summary>
    public int Number => int.Parse(Text, CultureInfo.InvariantCulture);

    /// <summary>Its elements, where it is a list.</summary>
    public IEnumerable<Manifest> Items =>
        _node is YamlSequenceNode list ? list.Children.Select((item, index) => new Manifest(item, $"{_path}[{index}]")) : throw new InvalidOperationException($"{_path} is no list.");

    /// <summary>Its members by name, where it is a mapping of scalars.</summary>
    public IReadOnlyDictionary<string, string> Texts =>
        _node is YamlMappingNode map ? map.Children.ToDictionary(static one => ((YamlScalarNode)one.Key).Value!, one => new Manifest(one.Value, $"{_path}.{one.Key}").Text) : throw new InvalidOperationException($"{_path} is no mapping.");

    /// <summary>A part of it: <c>spec.template.spec</c>.</summary>
    public Manifest this[string path] => Find(path) ?? throw new KeyNotFoundException($"{_path} has no {path}.");

    /// <summary>A part of it; <c>null</c> where it has none.</summary>
    public Manifest? Find(string path)
    {
        var node = _node;
        foreach (var name in path.Split('.'))
        {
            if (node is not YamlMappingNode map || !map.Children.TryGetValue(new YamlScalarNode(name), out node!))
            {
                return null;
            }
        }

        return new Manifest(node, $"{_path}.{path}");
    }

    /// <summary>All documents of a folder.</summary>
    public static IReadOnlyList<Manifest> ReadAll(string folder) => [.. Directory.EnumerateFiles(folder, "*.yaml").Order(StringComparer.Ordinal).SelectMany(Read)];

    private static List<Manifest> Read(string file)
    {
        using var reader = new StreamReader(file);
        var stream = new YamlStream();
        stream.Load(reader);
        return [.. stream.Documents.Select(document => new Manifest(document.RootNode, Path.GetFileName(file)))];
    }
}
