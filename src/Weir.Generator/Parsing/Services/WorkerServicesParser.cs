using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>Reads a method marked <c>[WorkerServices]</c>.</summary>
internal static class WorkerServicesParser
{
    /// <summary>The parse result; without a method, and with an error, where the method has the wrong shape.</summary>
    public static ParsedWorkerServices Parse(Compilation compilation, IMethodSymbol method)
    {
        var findings = new Findings(compilation, method);
        if (Refusal(compilation, method) is { } refusal)
        {
            findings.Report(WeirCodes.WorkerServicesShape, method, method.Name, refusal);
        }

        var name = TypeNames.ForCode(method.ContainingType) + "." + Naming.Escape(method.Name);
        return new ParsedWorkerServices(findings.Count == 0 ? new(name) : null, TypeNames.Metadata(method.ContainingType), method.Name, findings.Diagnostics.ToEquatableArray());
    }

    private static string? Refusal(Compilation compilation, IMethodSymbol method)
    {
        var provider = compilation.GetTypeByMetadataName("System.IServiceProvider");
        return method switch
        {
            { IsStatic: false } => "it is not static",
            { IsGenericMethod: true } or { ContainingType.IsGenericType: true } => "it is generic",
            _ when !method.IsReachable() => "generated code cannot access it; make it, and the types around it, internal or public",
            _ when method.Parameters.Length != 1 || method.Parameters[0] is not { RefKind: RefKind.None } startup || !startup.Type.IsWeir("WorkerStartup") =>
                "it does not take exactly one WorkerStartup",
            _ when provider is null || method.ReturnsVoid || !compilation.ClassifyCommonConversion(method.ReturnType, provider).IsImplicit => "it does not return an IServiceProvider",
            _ => null,
        };
    }
}
