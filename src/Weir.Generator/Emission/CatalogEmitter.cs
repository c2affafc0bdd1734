using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the public catalog of an assembly's services.</summary>
internal static class CatalogEmitter
{
    public static string Write(ApplicationModel application, EquatableArray<CatalogEntryModel> services, EquatableArray<UnmarkedClassModel> unmarked, WorkerServicesModel? workerServices)
    {
        var code = SourceWriter.File();
        var isolated = services.Any(static one => one.Pools.Count > 0) ? ", HasIsolatedOperations = true" : "";
        var names = services.Count == 0 ? "" : $", Services = new[] {{ {string.Join(", ", services.Select(static one => JsonCode.Quote(one.Reference.Text)))} }}";
        code.Line($"[assembly: global::Weir.Runtime.WeirCatalog(typeof(global::{application.Namespace}.Catalog){isolated}{names})]");
        code.Line();
        code.Line($"namespace {application.Namespace};");
        code.Line();
        code.Line("/// <summary>The services of this assembly.</summary>");
        code.Block("public sealed class Catalog : global::Weir.Runtime.ServiceCatalog", () =>
        {
            code.Line("private global::System.Collections.Generic.IReadOnlyList<global::Weir.Service>? _services;");
            code.Line("private global::System.Collections.Generic.IReadOnlyList<global::Weir.Runtime.Proxy>? _proxies;");
            code.Line();
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
            code.Block("public override global::System.Collections.Generic.IReadOnlyList<global::Weir.Service> Services => _services ??= new global::Weir.Service[]", () =>
                Lines(code, services, static one => $"{one.OperationsClass}.Service"), "};");
            code.Line();
            code.Line("/// <inheritdoc/>");
            code.Block("public override global::System.Collections.Generic.IReadOnlyList<global::Weir.Runtime.Proxy> Proxies => _proxies ??= new global::Weir.Runtime.Proxy[]", () =>
                Lines(code, services, static one => $"new(typeof({one.Contract}), static invoker => new {one.ProxyClass}(invoker))"), "};");
            code.Line();
            ServicesOf(code, services);
            if (services.Count > 0)
            {
                code.Line();
                code.Line("/// <inheritdoc/>");
                code.Line("public override global::Weir.Runtime.CatalogJson CreateJson() => JsonTypes.Create();");
            }

            Unmarked(code, unmarked);
            if (workerServices is { } worker)
            {
                WorkerServices(code, worker);
            }
        });
        return code.ToString();
    }

    // A worker makes only the services of its own pool: the other services of the application do not delay its start.
    private static void ServicesOf(SourceWriter code, EquatableArray<CatalogEntryModel> services)
    {
        code.Line("/// <inheritdoc/>");
        code.Block("public override global::System.Collections.Generic.IReadOnlyList<global::Weir.Service> ServicesOf(string pool)", () =>
        {
            foreach (var pool in services.SelectMany(static one => one.Pools).Distinct(StringComparer.OrdinalIgnoreCase))
            {
                var own = services.Where(one => one.Pools.Contains(pool, StringComparer.OrdinalIgnoreCase)).ToEquatableArray();
                code.Block($"if (string.Equals(pool, {JsonCode.Quote(pool)}, global::System.StringComparison.OrdinalIgnoreCase))", () =>
                    code.Block("return new global::Weir.Service[]", () => Lines(code, own, static one => $"{one.OperationsClass}.Service"), "};"));
                code.Line();
            }

            code.Line("return global::System.Array.Empty<global::Weir.Service>();");
        });
    }

    private static void Unmarked(SourceWriter code, EquatableArray<UnmarkedClassModel> unmarked)
    {
        if (unmarked.Count == 0)
        {
            return;
        }

        const string Pair = "global::System.Collections.Generic.KeyValuePair<string, string>";
        code.Line();
        code.Line("/// <inheritdoc/>");
        code.Block($"public override global::System.Collections.Generic.IReadOnlyList<{Pair}> Unmarked => new {Pair}[]", () =>
        {
            foreach (var one in unmarked)
            {
                code.Line($"new({JsonCode.Quote(one.Contract)}, {JsonCode.Quote(one.Class)}),");
            }
        }, "};");
    }

    private static void WorkerServices(SourceWriter code, WorkerServicesModel worker)
    {
        code.Line();
        code.Line("/// <inheritdoc/>");
        code.Line($"public override global::Weir.Runtime.WorkerServicesForm WorkerServicesForm => global::Weir.Runtime.WorkerServicesForm.{(worker.Registers ? "Collection" : "Provider")};");
        code.Line();
        code.Line("/// <inheritdoc/>");
        if (worker.Registers)
        {
            code.Line("public override void ConfigureWorkerServices(object services, object startup) =>");
            code.Line($"    {worker.Method}((global::Microsoft.Extensions.DependencyInjection.IServiceCollection)services, (global::Weir.WorkerStartup)startup);");
        }
        else
        {
            code.Line("public override global::System.IServiceProvider? CreateWorkerServices(object startup) =>");
            code.Line($"    {worker.Method}((global::Weir.WorkerStartup)startup);");
        }
    }

    private static void Lines(SourceWriter code, EquatableArray<CatalogEntryModel> services, Func<CatalogEntryModel, string> line)
    {
        foreach (var service in services)
        {
            code.Line(line(service) + ",");
        }
    }
}
