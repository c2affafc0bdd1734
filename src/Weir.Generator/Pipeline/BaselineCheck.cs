using Microsoft.CodeAnalysis;
using Weir.Client.Contracts;
using Weir.Generator.Emission;
using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>Compares the contracts of an assembly with those that the project has accepted.</summary>
internal static class BaselineCheck
{
    private const string FileName = "weir.contract.json";

    /// <summary>The accepted contract of a project; none where it has no such file, or is built to accept its present one.</summary>
    public static IncrementalValueProvider<BaselineModel?> Baseline(IncrementalGeneratorInitializationContext context) =>
        context.AdditionalTextsProvider.Where(static one => string.Equals(Path.GetFileName(one.Path), FileName, StringComparison.OrdinalIgnoreCase))
            .Select(static (one, cancellationToken) => one.GetText(cancellationToken)?.ToString() is { } text ? new BaselineModel(text) : null)
            .Collect()
            .Combine(context.AnalyzerConfigOptionsProvider)
            .Select(static (pair, _) => pair.Right.GlobalOptions.TryGetValue("build_property.WeirAcceptsContract", out var value) && bool.TryParse(value, out var accepts) && accepts
                ? null
                : pair.Left.FirstOrDefault());

    /// <summary>What has changed in a way that breaks callers.</summary>
    public static EquatableArray<AssemblyFinding> Run(BaselineModel? baseline, EquatableArray<ContractModel> contracts)
    {
        if (baseline is null)
        {
            return default;
        }

        try
        {
            var accepted = ContractComparison.Items(ContractJson.Parse(baseline.Text), "services").ToList();
            return accepted.SelectMany(one => Changes(one, contracts)).ToEquatableArray();
        }
        catch (FormatException malformed)
        {
            return new[] { new AssemblyFinding(WeirCodes.ContractBroken, null, null, new[] { FileName, $"it cannot be read: {malformed.Message}" }.ToEquatableArray()) }.ToEquatableArray();
        }
    }

    private static IEnumerable<AssemblyFinding> Changes(object? accepted, EquatableArray<ContractModel> contracts)
    {
        var name = ContractComparison.Text(accepted, "service") ?? throw new FormatException("a service has no name");
        if (contracts.FirstOrDefault(one => string.Equals(one.Service, name, StringComparison.OrdinalIgnoreCase)) is not { } present)
        {
            return [new AssemblyFinding(WeirCodes.ContractBroken, null, null, new[] { name, "it is not served any more" }.ToEquatableArray())];
        }

        return ContractComparison.Find(accepted, ContractJson.Parse(ContractEmitter.Text(present))).Select(change => new AssemblyFinding(
            WeirCodes.ContractBroken,
            present.Declaring,
            present.Operations.FirstOrDefault(one => one.Name == change.Operation)?.Method,
            new[] { $"{name}/{change.Operation}", change.Text }.ToEquatableArray()));
    }
}
