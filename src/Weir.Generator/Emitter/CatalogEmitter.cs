using Weir.Generator.Model;

namespace Weir.Generator.Emitter;

/// <summary>Writes the public catalog of an assembly's services.</summary>
internal static class CatalogEmitter
{
    public static string Write(ApplicationModel application, EquatableArray<CatalogEntryModel> services, WorkerServicesModel? workerServices)
    {
        var code = SourceWriter.File();
        code.Line($"[assembly: global::Weir.WeirCatalog(typeof(global::{application.Namespace}.Catalog))]");
        code.Line();
        code.Line($"namespace {application.Namespace};");
        code.Line();
        code.Line("/// <summary>The services of this assembly.</summary>");
        code.Block("public sealed class Catalog : global::Weir.ServiceCatalog", () =>
        {
            code.Block("private Catalog()", static () => { });
            code.Line();
            code.Line("/// <summary>The one instance.</summary>");
            code.Line("public static Catalog Instance { get; } = new();");
            code.Line();
            code.Line("/// <inheritdoc/>");
            code.Line($"public override string AssemblyName => {JsonCode.Quote(application.AssemblyName)};");
            code.Line();
            code.Line("/// <inheritdoc/>");
            code.Line("public override global::System.Guid Identity => typeof(Catalog).Module.ModuleVersionId;");
            code.Line();
            code.Line("/// <inheritdoc/>");
            code.Line("public override global::System.Collections.Generic.IReadOnlyList<global::Weir.Service> Services { get; } =");
            code.Block("", () => Lines(code, services, static one => $"{one.OperationsClass}.Service"), "];", "[");
            code.Line();
            code.Line("/// <inheritdoc/>");
            code.Line("public override global::System.Collections.Generic.IReadOnlyList<global::Weir.Proxy> Proxies { get; } =");
            code.Block("", () => Lines(code, services, static one => $"new(typeof({one.Contract}), static invoker => new {one.ProxyClass}(invoker))"), "];", "[");
            if (workerServices is { } worker)
            {
                code.Line();
                code.Line("/// <inheritdoc/>");
                code.Line("public override global::System.IServiceProvider? CreateWorkerServices(object startup) =>");
                code.Line($"    {worker.Method}((global::Weir.WorkerStartup)startup);");
            }
        });
        return code.ToString();
    }

    private static void Lines(SourceWriter code, EquatableArray<CatalogEntryModel> services, Func<CatalogEntryModel, string> line)
    {
        foreach (var service in services)
        {
            code.Line(line(service) + ",");
        }
    }
}
