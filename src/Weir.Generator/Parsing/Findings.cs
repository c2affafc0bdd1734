using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing;

/// <summary>Collects build errors and warnings, each at a place of the compilation that is being built.</summary>
/// <param name="compilation">The compilation.</param>
/// <param name="fallback">Where an error is reported if its own place is in another assembly.</param>
/// <param name="isSilent">Whether the same errors are reported elsewhere.</param>
internal sealed class Findings(Compilation compilation, ISymbol fallback, bool isSilent = false)
{
    private readonly List<DiagnosticModel> _diagnostics = [];

    /// <summary>The compilation that is being built.</summary>
    public Compilation Compilation => compilation;

    /// <summary>How many errors were found, reported or not.</summary>
    public int Count { get; private set; }

    /// <summary>What has to be reported.</summary>
    public IEnumerable<DiagnosticModel> Diagnostics => _diagnostics;

    /// <summary>Counts an error that the compiler already reports.</summary>
    public void Pass() => Count++;

    public void Report(string code, ISymbol at, params string[] arguments) =>
        Report(code, at.Locations.FirstOrDefault(), arguments);

    public void Report(string code, Location? at, params string[] arguments)
    {
        Count++;
        Warn(code, at, arguments);
    }

    /// <summary>Reports something that does not stop the build.</summary>
    public void Warn(string code, Location? at, params string[] arguments)
    {
        if (!isSilent)
        {
            var place = at?.SourceTree is { } tree && compilation.ContainsSyntaxTree(tree) ? at : fallback.Locations.FirstOrDefault();
            _diagnostics.Add(new DiagnosticModel(code, LocationModel.Of(place), arguments.ToEquatableArray()));
        }
    }
}
