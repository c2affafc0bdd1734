using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the file of one service: its operations, their calls, and its proxy.</summary>
internal static class ServiceEmitter
{
    public static string Write(string @namespace, ServiceModel service, CancellationToken cancellationToken)
    {
        var code = SourceWriter.File();
        if (service.IsServedOverHttp)
        {
            ContractEmitter.Attribute(code, service.Name, $"global::{@namespace}.{service.OperationsClass}.{ContractEmitter.Constant}");
            code.Line();
        }

        code.Block($"namespace {@namespace}", () =>
        {
            code.Block($"internal static class {service.OperationsClass}", () =>
            {
                if (service.IsServedOverHttp)
                {
                    code.Line($"internal const string {ContractEmitter.Constant} = {JsonCode.Quote(ContractEmitter.Text(service.ContractText))};");
                    code.Line();
                }

                foreach (var operation in service.Operations)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    OperationEmitter.Write(code, operation);
                    code.Line();
                }

                Service(code, service);
                if (service.Operations.Any(static one => one.Result.DescribesEndpoint))
                {
                    code.Line();
                    code.Line("private static void Describe<T>(object endpoint, global::System.Delegate method)");
                    code.Line("    where T : global::Microsoft.AspNetCore.Http.Metadata.IEndpointMetadataProvider =>");
                    code.Line("    T.PopulateMetadata(method.Method, (global::Microsoft.AspNetCore.Builder.EndpointBuilder)endpoint);");
                }

                foreach (var operation in service.Operations)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    code.Line();
                    new CallEmitter(code, service, operation).Write();
                    if (operation.Declaration is { } method)
                    {
                        code.Line();
                        FilterEmitter.Method(code, operation, method);
                    }
                }
            });
            code.Line();
            ProxyEmitter.Write(code, service);
        });
        if (service.Client is { } client)
        {
            code.Line();
            ClientEmitter.Write(code, service, client);
        }

        return code.ToString();
    }

    private static void Service(SourceWriter code, ServiceModel service)
    {
        code.Block("internal static readonly global::Weir.Service Service = new()", () =>
        {
            code.Line($"Name = {JsonCode.Quote(service.Name)},");
            if (service.Route != service.Name)
            {
                code.Line($"Route = {JsonCode.Quote(service.Route)},");
            }

            code.Line($"TypeName = {JsonCode.Quote(service.TypeName)},");
            if (service.ContractName is { } contract)
            {
                code.Line($"ContractName = {JsonCode.Quote(contract)},");
            }

            if (!service.IsForeign)
            {
                code.Line($"ClassType = static () => typeof({service.Class}),");
            }

            if (service.Contract is not null && !service.Operations.Any(static one => one.IsBridged))
            {
                code.Line($"ContractType = static () => typeof({service.Contract}),");
            }

            code.Line(service.IsForeign
                ? $"CreateInstance = static _ => throw new global::System.NotSupportedException({JsonCode.Quote(NoClass(service))}),"
                : $"CreateInstance = static services => new {service.Class}({string.Join(", ", service.Constructor.Select(one => Injection(one, "services", service.Name)))}),");
            if (service.IsForeign)
            {
                code.Line("IsForeign = true,");
            }

            if (!service.IsServedOverHttp)
            {
                code.Line("IsServedOverHttp = false,");
            }

            if (service.EndpointMetadata.Count > 0)
            {
                code.Block("EndpointMetadata = static () => new object[]", () => code.Lines(service.EndpointMetadata), "},");
            }

            DescriptionEmitter.Write(code, service);
            code.Line($"IsShared = {(service.IsShared ? "true" : "false")},");
            code.Line($"NeedsServices = {(service.Constructor.Count > 0 ? "true" : "false")},");
            code.Line($"Operations = new global::Weir.Operation[] {{ {string.Join(", ", service.Operations.Select(static one => one.Identifier + "Operation"))} }},");
        }, "};");
    }

    /// <summary>The message of the exception for an attempt to run a foreign service in this process.</summary>
    public static string NoClass(ServiceModel service) => $"{service.TypeName} is served by workers in another language; this application has no class for it.";

    /// <summary>An expression that resolves a service.</summary>
    public static string Injection(InjectionModel service, string services, string consumer) =>
        service.Key is { } key
            ? service.Default is not null
                ? $"global::Weir.Runtime.ServiceResolution.OptionalKeyed<{service.DeclaredType}>({services}, {key}, {service.Default})"
                : $"global::Weir.Runtime.ServiceResolution.RequireKeyed<{service.Type}>({services}, {key}, {JsonCode.Quote(consumer)})"
            : service.Type == "global::System.IServiceProvider"
            ? services
            : service.Default is not null
                ? $"global::Weir.Runtime.ServiceResolution.Optional<{service.DeclaredType}>({services}, {service.Default})"
                : $"global::Weir.Runtime.ServiceResolution.Require<{service.Type}>({services}, {JsonCode.Quote(consumer)})";
}
