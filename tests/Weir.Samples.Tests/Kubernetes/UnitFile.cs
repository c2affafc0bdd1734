namespace Weir.Samples.Tests.Kubernetes;

/// <summary>A unit of systemd: values by section and name. A name may come more than once.</summary>
/// <param name="text">The file.</param>
internal sealed class UnitFile(string text)
{
    private readonly ILookup<(string Section, string Name), string> _values = Read(text).ToLookup(static one => (one.Section, one.Name), static one => one.Value);

    /// <summary>The only value of a name.</summary>
    public string this[string section, string name] => Assert.Single(_values[(section, name)]);

    /// <summary>Variables of the environment.</summary>
    public IReadOnlyDictionary<string, string> Environment => _values[("Service", "Environment")].Select(static one => one.Split('=', 2)).ToDictionary(static one => one[0], static one => one[1]);

    private static IEnumerable<(string Section, string Name, string Value)> Read(string text)
    {
        var section = "";
        foreach (var line in text.Split('\n').Select(static line => line.Trim()).Where(static line => line.Length > 0 && line[0] != '#'))
        {
            if (line[0] == '[')
            {
                section = line[1..^1];
                continue;
            }

            var parts = line.Split('=', 2);
            yield return (section, parts[0], parts[1]);
        }
    }
}
