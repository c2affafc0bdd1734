namespace Weir.Tests.Architecture;

/// <summary>A place that breaks a rule.</summary>
internal sealed record Finding(string Path, int Line, string What)
{
    public override string ToString() => $"{Path}:{Line}: {What}";
}
