using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>Reads a method marked <c>[WorkerServices]</c>, in one of its two forms: it registers services, or it builds their provider.</summary>
internal static class WorkerServicesParser
{
    /// <summary>The parse result; without a method, and with an error, where the method has the wrong shape.</summary>
    public static ParsedWorkerServices Parse(Compilation compilation, IMethodSymbol method)
    {
        var findings = new Findings(compilation, method);
        var registers = method.ReturnsVoid || Registers(method);
        if (Refusal(compilation, method, registers) is { } refusal)
        {
            findings.Report(WeirCodes.WorkerServicesShape, method, method.Name, refusal);
        }

        var name = TypeNames.ForCode(method.ContainingType) + "." + Naming.Escape(method.Name);
        return new ParsedWorkerServices(findings.Count == 0 ? new(name, registers) : null, TypeNames.Metadata(method.ContainingType), method.Name, findings.Diagnostics.ToEquatableArray());
    }

    // Which of the two forms was meant.
    private static bool Registers(IMethodSymbol method) => method.Parameters.Any(static parameter => IsCollection(parameter.Type));

    private static string? Refusal(Compilation compilation, IMethodSymbol method, bool registers) => method switch
    {
        { IsStatic: false } => "it is not static",
        { IsGenericMethod: true } or { ContainingType.IsGenericType: true } => "it is generic",
        _ when !method.IsReachable() => "generated code cannot access it; make it, and the types around it, internal or public",
        _ => registers ? RegisteringRefusal(method) : BuildingRefusal(compilation, method),
    };

    private static string? RegisteringRefusal(IMethodSymbol method) => method switch
    {
        _ when method.Parameters.Length != 2 || !IsByValue(method.Parameters[0]) || !IsCollection(method.Parameters[0].Type) || !IsStartup(method.Parameters[1]) =>
            "it does not take an IServiceCollection and a WorkerStartup",
        { ReturnsVoid: false } => "it takes an IServiceCollection and returns something",
        { IsAsync: true } => "it is async void, and what it registers after its first await comes too late",
        _ => null,
    };

    private static string? BuildingRefusal(Compilation compilation, IMethodSymbol method)
    {
        var provider = compilation.GetTypeByMetadataName("System.IServiceProvider");
        return method switch
        {
            _ when method.Parameters.Length != 1 || !IsStartup(method.Parameters[0]) => "it does not take exactly one WorkerStartup",
            _ when provider is null || !compilation.ClassifyCommonConversion(method.ReturnType, provider).IsImplicit => "it does not return an IServiceProvider",
            _ => null,
        };
    }

    private static bool IsByValue(IParameterSymbol parameter) => parameter.RefKind == RefKind.None;

    private static bool IsStartup(IParameterSymbol parameter) => IsByValue(parameter) && parameter.Type.IsWeir("WorkerStartup");

    private static bool IsCollection(ITypeSymbol type) => type.Is("Microsoft.Extensions.DependencyInjection", "IServiceCollection");
}
