using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>
/// Writes what only an application has, not a library: the list of all catalogs, the attribute by which a worker finds it,
/// <c>AddWeir</c>, and the entry point of a worker that is the application's own executable. All are embedded: an assembly that sees this
/// one's internals has its own.
/// </summary>
internal static class ApplicationEmitter
{
    private const string Services = "global::Microsoft.Extensions.DependencyInjection.IServiceCollection";

    /// <summary><c>AddWeir</c> without its body; a library has it too.</summary>
    public const string Signature = $"internal static {Services} AddWeir(this {Services} services, global::System.Action<global::Weir.WeirOptions>? configure = null)";

    public static string Write(ApplicationModel application, bool hasServices)
    {
        var code = SourceWriter.File();
        code.Line("[assembly: global::Weir.Generated.ApplicationCatalogs(true)]");
        code.Line();
        code.Block("namespace Weir.Generated", () =>
        {
            Catalogs(code, application, hasServices);
            code.Line();
            Mark(code);
        });
        code.Line();
        code.Block("namespace Microsoft.Extensions.DependencyInjection", () => AddWeir(code, application));
        if (application.HasWorker)
        {
            code.Line();
            code.Block("namespace Weir", () => EntryPoint(code));
        }

        return code.ToString();
    }

    private static void Catalogs(SourceWriter code, ApplicationModel application, bool hasServices)
    {
        code.Line("/// <summary>The catalogs of the application and of everything it references.</summary>");
        code.Line("[global::Microsoft.CodeAnalysis.Embedded]");
        code.Block("internal static class ApplicationCatalog", () =>
        {
            code.Line($"public const string AssemblyName = {JsonCode.Quote(application.AssemblyName)};");
            code.Line();
            code.Block("public static global::System.Collections.Generic.IReadOnlyList<global::Weir.Runtime.ServiceCatalog> Catalogs { get; } = new global::Weir.Runtime.ServiceCatalog[]", () =>
            {
                foreach (var catalog in (hasServices ? new[] { $"global::{application.Namespace}.Catalog" } : []).Concat(application.Catalogs))
                {
                    code.Line($"{catalog}.Instance,");
                }
            }, "};");
        });
    }

    // The attribute takes an argument, though it needs none: the runtime creates an attribute without one by a method that it would compile in
    // every worker before READY.
    private static void Mark(SourceWriter code)
    {
        code.Line("/// <summary>By this a worker finds them.</summary>");
        code.Line("[global::Microsoft.CodeAnalysis.Embedded]");
        code.Line("[global::System.AttributeUsage(global::System.AttributeTargets.Assembly)]");
        code.Block("internal sealed class ApplicationCatalogsAttribute : global::Weir.Runtime.WeirApplicationAttribute", () =>
        {
            code.Line("public ApplicationCatalogsAttribute(bool isApplication)");
            code.Line("{");
            code.Line("}");
            code.Line();
            code.Line("/// <inheritdoc/>");
            code.Line("public override global::System.Collections.Generic.IReadOnlyList<global::Weir.Runtime.ServiceCatalog> Catalogs => ApplicationCatalog.Catalogs;");
        });
    }

    private static void AddWeir(SourceWriter code, ApplicationModel application)
    {
        code.Line("/// <summary>Adds Weir to an application.</summary>");
        code.Line("[global::Microsoft.CodeAnalysis.Embedded]");
        code.Block("internal static class WeirApplicationServiceCollectionExtensions", () =>
        {
            code.Line("/// <summary>Serves the operations of this application and of everything it references.</summary>");
            code.Line("/// <param name=\"services\">The application's services.</param>");
            code.Line("/// <param name=\"configure\">Changes options; <c>null</c> keeps what the configuration says.</param>");
            code.Block(Signature, () =>
            {
                code.Line("services.AddWeirCatalogs(global::Weir.Generated.ApplicationCatalog.AssemblyName, global::Weir.Generated.ApplicationCatalog.Catalogs, configure);");
                if (application.HasServer)
                {
                    code.Line("services.AddWeirServer();");
                }

                code.Line("return services;");
            });
        });
    }

    private static void EntryPoint(SourceWriter code)
    {
        code.Line("/// <summary>Lets this application be its own worker, as a single file, self-contained, trimmed or natively compiled.</summary>");
        code.Line("[global::Microsoft.CodeAnalysis.Embedded]");
        code.Block("internal static class WeirWorker", () =>
        {
            code.Line("/// <summary>");
            code.Line("/// Runs this process as a worker if a host of this application started it as one. The first line of the program:");
            code.Line("/// <c>if (WeirWorker.TryRun(args)) return;</c>. What stands before it runs in every worker too.");
            code.Line("/// </summary>");
            code.Line("/// <param name=\"args\">The arguments of the program.</param>");
            code.Line("/// <returns><c>false</c> at once in every other process. A worker serves calls until it is not needed any more, and its process ends here.</returns>");
            code.Block("internal static bool TryRun(string[] args)", () =>
            {
                code.Block("if (global::Weir.Runtime.WorkerEntryPoint.IsWorker(args))", () =>
                {
                    code.Line("global::Weir.Runtime.ApplicationWorker.Run(args, static () => global::Weir.Generated.ApplicationCatalog.Catalogs);");
                    code.Line("return true;");
                });
                code.Line();
                code.Line("return false;");
            });
        });
    }
}
