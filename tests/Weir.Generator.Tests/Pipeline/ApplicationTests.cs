using Microsoft.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Generator.Tests.Behaviour;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Pipeline;

/// <summary>What an application gets and a library does not: the list of catalogs, and <c>AddWeir</c>.</summary>
public sealed class ApplicationTests
{
    private const string Main = "internal static class Program { private static void Main() { } }";

    private const string Calling =
        """
        using Microsoft.Extensions.DependencyInjection;
        internal static class Program
        {
            internal static void Main() => Bag.Instance.AddWeir(static options => options.Name += "configured").AddWeir();
        }
        """;

    private static readonly Weir.WorkerStartup Startup = new()
    {
        Pool = "S",
        Configuration = new ConfigurationBuilder().Build(),
        LoggerFactory = NullLoggerFactory.Instance,
    };

    private static readonly MetadataReference Execution = Stub("Weir.Execution", """
        namespace Weir { public sealed class WeirOptions { public string? Name { get; set; } } }
        namespace Microsoft.Extensions.DependencyInjection
        {
            public sealed class Bag : List<ServiceDescriptor>, IServiceCollection { public static Bag Instance { get; } = new(); public string Log { get; set; } = ""; }
            public static class WeirServiceCollectionExtensions
            {
                public static IServiceCollection AddWeirCatalogs(this IServiceCollection services, string assemblyName, IReadOnlyList<Weir.Runtime.ServiceCatalog> catalogs, Action<Weir.WeirOptions>? configure)
                {
                    Bag.Instance.Log += $"{assemblyName}:{string.Join(",", catalogs.Select(one => one.AssemblyName))}:{configure is not null};";
                    return services;
                }
            }
        }
        """);

    private static readonly MetadataReference Worker = Stub("Weir.Worker", """
        namespace Weir.Runtime
        {
            public static class ApplicationWorker
            {
                public static string Log { get; set; } = "";
                public static void Run(string[] args, Func<IReadOnlyList<ServiceCatalog>> catalogs) => Log += $"{string.Join(" ", args)}:{string.Join(",", catalogs().Select(one => one.AssemblyName))}";
            }
        }
        """);

    private static readonly MetadataReference Server = Stub("Weir.AspNetCore", """
        namespace Microsoft.Extensions.DependencyInjection
        {
            public static class WeirServerServiceCollectionExtensions
            {
                public static IServiceCollection AddWeirServer(this IServiceCollection services) { Bag.Instance.Log += "server;"; return services; }
            }
        }
        """, Execution);

    [Fact]
    public void An_executable_that_references_execution_is_an_application()
    {
        Assert.Contains("AddWeir.g.cs", Files(OutputKind.ConsoleApplication, Main, [Execution]));
        Assert.Contains("AddWeir.g.cs", Files(OutputKind.WindowsApplication, Main, [Execution]));
        Assert.DoesNotContain("AddWeir.g.cs", Files(OutputKind.ConsoleApplication, Main, []));
        Assert.DoesNotContain("AddWeir.g.cs", Files(OutputKind.DynamicallyLinkedLibrary, "", [Execution]));
    }

    [Theory]
    [InlineData("true", OutputKind.DynamicallyLinkedLibrary, true)]
    [InlineData("false", OutputKind.ConsoleApplication, false)]
    [InlineData("", OutputKind.ConsoleApplication, true)]
    public void A_property_decides_otherwise(string value, OutputKind kind, bool isApplication) =>
        Assert.Equal(
            isApplication,
            Files(kind, kind == OutputKind.ConsoleApplication ? Main : "", [Execution], new Dictionary<string, string> { ["build_property.WeirApplication"] = value }).Contains("AddWeir.g.cs"));

    [Fact]
    public void AddWeir_hands_over_the_catalogs_of_everything_referenced()
    {
        var near = Library("Near.Library", "[Weir.Service] public sealed class Near { public void Go() { } }", []);
        var far = Library("Far", "[Weir.Service] public sealed class Far { public void Go() { } }", []);
        var plain = Library("Plain", "public sealed class Nothing { }", []);
        var output = Driver.Run(Driver.Compilation("App", OutputKind.ConsoleApplication, [Execution, Server, near, far, plain], Calling, "[Weir.Service] public sealed class Own { public void Go() { } }"));
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);

        var text = output.Text("AddWeir.g.cs");
        Assert.Contains("global::Weir.Generated.App.Catalog.Instance,", text, StringComparison.Ordinal);
        Assert.Contains("global::Weir.Generated.Near_Library.Catalog.Instance,", text, StringComparison.Ordinal);
        Assert.Contains("global::Weir.Generated.Far.Catalog.Instance,", text, StringComparison.Ordinal);
        Assert.DoesNotContain("Plain", text, StringComparison.Ordinal);
        Assert.Contains("services.AddWeirServer();", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Near", "public sealed class Near { public void Go() { } }", "Own and Shipping.Near are both the service 'Near'", "[Weir.Service(\"near\")] public sealed class Own { public void Go() { } }")]
    [InlineData("Near", "public sealed class Near { public void Go() { } }", "Billing.Near and Shipping.Near are both the service 'Near'")]
    [InlineData("Near", "public sealed class Other { public void Go() { } }", null)]
    public async Task Two_referenced_libraries_with_a_service_of_one_name_are_an_error_where_Weir_is_added(string name, string other, string? expected, string own = "")
    {
        var billing = Library("Billing", $"namespace Billing {{ [Weir.Service] public sealed class {name} {{ public void Go() {{ }} }} }}", []);
        var shipping = Library("Shipping", $"namespace Shipping {{ [Weir.Service] {other} }}", []);
        MetadataReference[] references = own.Length > 0 ? [Execution, Server, shipping] : [Execution, Server, billing, shipping];
        var output = Driver.Run(Driver.Compilation("App", OutputKind.ConsoleApplication, references, Calling, own));
        Assert.Equal(expected is null ? [] : ["WEIR1006"], output.Reported.Select(static one => one.Id));
        Assert.All(output.Reported, one => Assert.StartsWith(expected!, one.GetMessage(null), StringComparison.Ordinal));
        Assert.All(output.Reported, static one => Assert.NotEqual(Location.None, one.Location));

        // A program that adds Weir nowhere may reference the projects of several applications: it tests them.
        Assert.Empty(Driver.Run(Driver.Compilation("App", OutputKind.ConsoleApplication, references, Main, own)).Reported);
        Assert.Empty(await output.AnalyzedAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task An_application_names_the_classes_that_implement_a_contract_and_are_not_marked()
    {
        var contract = Library("Contracts", "[Weir.Service] public interface IProducts { Task Go(); } [Weir.Service] public interface IOrders { Task Go(); }", []);
        var services = Library("Services", "[Weir.Service] public sealed class Orders : IOrders { public Task Go() => Task.CompletedTask; }", [contract]);
        var output = Driver.Run(Driver.Compilation(
            "App", OutputKind.ConsoleApplication, [Execution, Server, contract, services], Calling,
            "namespace Shop; public sealed class Products : IProducts { public Task Go() => Task.CompletedTask; } public sealed class Fake : IOrders { public Task Go() => Task.CompletedTask; }"));
        Assert.Empty(output.Compiled);
        Assert.Contains("new(\"IProducts\", \"Shop.Products\"),", output.Text("Catalog.g.cs"), StringComparison.Ordinal);
        Assert.DoesNotContain("Fake", output.Text("Catalog.g.cs"), StringComparison.Ordinal);
        Assert.Contains("global::Weir.Generated.App.Catalog.Instance,", output.Text("AddWeir.g.cs"), StringComparison.Ordinal);
        var warning = Assert.Single(await output.AnalyzedAsync(TestContext.Current.CancellationToken));
        Assert.Equal(("WEIR1056", "Products"), (warning.Id, warning.Location.SourceTree!.ToString().Substring(warning.Location.SourceSpan.Start, warning.Location.SourceSpan.Length)));
    }

    [Fact]
    public void An_application_without_services_or_server_has_AddWeir_too()
    {
        var output = Driver.Run(Driver.Compilation("App", OutputKind.ConsoleApplication, [Execution], Calling));

        Assert.Empty(output.Compiled);
        Assert.DoesNotContain("AddWeirServer", output.Text("AddWeir.g.cs"), StringComparison.Ordinal);
        Assert.DoesNotContain(output.Result.GeneratedSources, static one => one.HintName == "Catalog.g.cs");
    }

    [Fact]
    public void A_worker_finds_the_catalogs_by_their_attribute()
    {
        var output = Driver.Run(Driver.Compilation("My.App-1", OutputKind.ConsoleApplication, [Execution], Main, "[Weir.Service] public sealed class Own { public void Go() { } }"));
        Assert.Empty(output.Compiled);
        var assembly = output.Load();

        var catalogs = Assert.Single(assembly.GetCustomAttributes(typeof(WeirApplicationAttribute), inherit: false).Cast<WeirApplicationAttribute>()).Catalogs;

        Assert.Equal("My.App-1", assembly.GetType("Weir.Generated.ApplicationCatalog")!.GetField("AssemblyName")!.GetRawConstantValue());
        Assert.Equal("My.App-1", Assert.Single(catalogs).AssemblyName);
        Assert.Equal(assembly.ManifestModule.ModuleVersionId, catalogs[0].Identity);
    }

    [Fact]
    public void A_worker_gets_the_services_of_its_pool_and_no_others()
    {
        var output = Driver.Run(Driver.Compilation(
            "App", OutputKind.ConsoleApplication, [Execution], Main,
            "[Weir.Service, Weir.Isolated(\"one\")] public sealed class Whole { public void Go() { } }",
            "[Weir.Service] public sealed class Mixed { public void Near() { } [Weir.Isolated(\"ONE\")] public void Far() { } [Weir.Isolated(\"two\")] public void Farther() { } }",
            "[Weir.Service] public sealed class Near { public void Go() { } }"));
        Assert.Empty(output.Compiled);

        var catalog = Assert.Single(output.Load().GetCustomAttributes(typeof(WeirApplicationAttribute), inherit: false).Cast<WeirApplicationAttribute>()).Catalogs[0];

        Assert.Equal(["Mixed", "Whole"], Names(catalog.ServicesOf("One")));
        Assert.Equal(["Mixed"], Names(catalog.ServicesOf("two")));
        Assert.Empty(catalog.ServicesOf("three"));
        Assert.Equal(["Mixed", "Near", "Whole"], Names(catalog.Services));
        Assert.Same(catalog.Services, catalog.Services);
        Assert.Contains(catalog.ServicesOf("two")[0], catalog.Services);

        static IEnumerable<string> Names(IEnumerable<Service> services) => services.Select(static service => service.Name).Order();
    }

    [Fact]
    public void A_test_project_that_sees_the_applications_internals_calls_its_own_AddWeir()
    {
        var application = Driver.Run(Driver.Compilation(
            "App", OutputKind.ConsoleApplication, [Execution], "[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"App.Tests\")]", Calling, "[Weir.Service] public sealed class Own { public void Go() { } }"));
        Assert.Empty(application.Compiled);

        var tests = Driver.Run(Driver.Compilation("App.Tests", OutputKind.ConsoleApplication, [Execution, application.Reference()], Calling));

        Assert.Empty(tests.Compiled);
        Assert.Contains("global::Weir.Generated.App.Catalog.Instance,", tests.Text("AddWeir.g.cs"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_workers_services_come_from_the_marked_method()
    {
        var output = Driver.Run(Driver.Library("""
            namespace Sample
            {
                [Weir.Service, Weir.Isolated] public sealed class S(IComparable source) { public int M() => source is null ? 1 : 2; }
                internal static class Setup { [Weir.WorkerServices] internal static IServiceProvider Create(Weir.WorkerStartup startup) => new Services(startup); }
                internal sealed class Services(Weir.WorkerStartup startup) : IServiceProvider { public object? GetService(Type type) => startup; }
            }
            """));
        var catalog = output.LoadCatalog();

        Assert.Equal(WorkerServicesForm.Provider, catalog.WorkerServicesForm);
        Assert.Same(Startup, catalog.CreateWorkerServices(Startup)!.GetService(typeof(object)));
        Assert.Equal(WorkerServicesForm.None, SampleServices.Catalog.WorkerServicesForm);
        Assert.Null(SampleServices.Catalog.CreateWorkerServices(Startup));
    }

    [Fact]
    public void A_library_that_references_Weir_Abstractions_alone_registers_a_workers_services()
    {
        var output = Driver.Run(Driver.Library("""
            using Microsoft.Extensions.Configuration;
            using Microsoft.Extensions.DependencyInjection;
            using Microsoft.Extensions.Logging;
            using Weir;

            namespace Sample
            {
                [Service, Isolated] public sealed class S(Clock clock, ILogger<S> logger) { public string M() { logger.LogDebug("called"); return clock.Zone; } }
                public sealed class Clock(string zone) { public string Zone => zone; }
                internal static class Setup
                {
                    [WorkerServices]
                    internal static void Configure(IServiceCollection services, WorkerStartup startup) => services.AddSingleton(new Clock(startup.Configuration["Zone"] ?? startup.Pool));
                }
            }
            """));
        var catalog = output.LoadCatalog();
        var services = new ServiceCollection();
        catalog.ConfigureWorkerServices(services, Startup);

        Assert.Equal(WorkerServicesForm.Collection, catalog.WorkerServicesForm);
        Assert.Null(catalog.CreateWorkerServices(Startup));
        Assert.Equal("Sample.Clock", Assert.Single(services).ServiceType.FullName);
    }

    [Theory]
    [InlineData("class")]
    [InlineData("a.b-c d")]
    [InlineData("1st")]
    [InlineData("Ünï_code")]
    public void Any_assembly_name_gives_a_namespace(string name)
    {
        var output = Driver.Run(Driver.Compilation(name, OutputKind.DynamicallyLinkedLibrary, [], "[Weir.Service] public sealed class Own { public void Go() { } }"));

        Assert.Equal(name, output.LoadCatalog().AssemblyName);
    }

    [Fact]
    public void An_application_can_be_its_own_worker_and_its_host_knows()
    {
        var output = Driver.Run(Driver.Compilation(
            "App", OutputKind.ConsoleApplication, [Execution, Worker],
            "using Weir; internal static class Program { internal static void Main(string[] args) { if (WeirWorker.TryRun(args)) return; } }",
            "[Weir.Service] public sealed class Own { public void Go() { } }"));
        Assert.Empty(output.Compiled);
        var entry = output.Load().GetType("Weir.WeirWorker")!;
        Assert.False(entry.IsPublic);
        var tryRun = entry.GetMethod("TryRun", System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.NonPublic)!.CreateDelegate<Func<string[], bool>>();

        Assert.False(tryRun([]));
        Assert.False(tryRun(["--urls", "--weir-worker"]));
        Assert.True(WorkerEntryPoint.IsReached);
    }

    [Fact]
    public void Without_the_worker_there_is_no_entry_point() =>
        Assert.DoesNotContain("WeirWorker", Driver.Run(Driver.Compilation("App", OutputKind.ConsoleApplication, [Execution], Main)).Text("AddWeir.g.cs"), StringComparison.Ordinal);

    [Theory]
    [InlineData("using Weir; WeirWorker.TryRun(args);")]
    [InlineData("if (Weir.WeirWorker.TryRun(args)) return;")]
    [InlineData("if (global::Weir.WeirWorker.TryRun(args)) { return; }")]
    [InlineData("using static Weir.WeirWorker; if (TryRun(args)) return;")]
    public void An_application_that_calls_its_entry_point_may_be_published_in_any_way(string program) => Assert.Empty(Published(program, ("PublishAot", "true")));

    [Theory]
    [InlineData("System.Console.WriteLine(args.Length);")]
    [InlineData("bool TryRun(string[] all) => all.Length > 0; if (TryRun(args)) return;")]
    [InlineData("if (Other.TryRun(args)) return; static class Other { public static bool TryRun(string[] all) => all.Length > 0; }")]
    public void An_application_that_does_not_is_refused_at_its_first_statement(string program)
    {
        var error = Assert.Single(Published(program, ("PublishSingleFile", "True")));
        Assert.Equal("WEIR1026", error.Id);
        Assert.Equal(0, error.Location.SourceSpan.Start);
        Assert.Contains("Own has isolated operations, and PublishSingleFile is set", error.GetMessage(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PublishAot", "true", 1)]
    [InlineData("PublishTrimmed", "true", 1)]
    [InlineData("SelfContained", "true", 1)]
    [InlineData("SelfContained", "false", 0)]
    [InlineData("PublishReadyToRun", "true", 0)]
    public void Only_a_worker_that_is_the_application_itself_needs_an_entry_point(string property, string value, int errors) =>
        Assert.Equal(errors, Published("System.Console.WriteLine();", (property, value)).Length);

    [Fact]
    public void An_application_that_starts_no_worker_needs_no_entry_point() =>
        Assert.Empty(Published("System.Console.WriteLine();", ("PublishAot", "true"), ("WeirStartsWorkers", "false")));

    [Fact]
    public void The_error_of_a_program_with_a_Main_is_at_Main()
    {
        const string Program = "internal static class Program { private static int Main() => 1; }";
        var error = Assert.Single(Published(Program, ("PublishAot", "true")));
        Assert.Equal(Program.IndexOf("Main", StringComparison.Ordinal), error.Location.SourceSpan.Start);
    }

    [Theory]
    [InlineData("[Weir.Service] public sealed class Far { [Weir.Isolated] public void Go() { } }", true)]
    [InlineData("[Weir.Service] public sealed class Far { public void Go() { } }", false)]
    public void Isolated_operations_of_a_library_need_the_entry_point_of_its_application(string library, bool isRefused)
    {
        var output = Driver.Run(
            Driver.Compilation("App", OutputKind.ConsoleApplication, [Execution, Worker, Library("Far", library, [])], Main),
            new Dictionary<string, string> { ["build_property.PublishAot"] = "true" });
        Assert.Equal(isRefused, output.Reported.Any(static one => one.Id == "WEIR1026"));
    }

    private static System.Collections.Immutable.ImmutableArray<Diagnostic> Published(string program, params (string Name, string Value)[] properties) =>
        Driver.Run(
            Driver.Compilation("App", OutputKind.ConsoleApplication, [Execution, Worker], program, "[Weir.Service] public sealed class Own { [Weir.Isolated] public void Go() { } }"),
            properties.ToDictionary(static one => "build_property." + one.Name, static one => one.Value)).Reported;

    private static IEnumerable<string> Files(OutputKind kind, string source, MetadataReference[] references, IReadOnlyDictionary<string, string>? properties = null)
    {
        var output = Driver.Run(Driver.Compilation("App", kind, references, source), properties);
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
        return output.Result.GeneratedSources.Select(static one => one.HintName);
    }

    private static MetadataReference Library(string name, string source, MetadataReference[] references) =>
        Driver.Run(Driver.Compilation(name, OutputKind.DynamicallyLinkedLibrary, references, source)).Reference();

    private static MetadataReference Stub(string name, string source, params MetadataReference[] references) =>
        new GeneratorOutput(default, Driver.Compilation(name, OutputKind.DynamicallyLinkedLibrary, references, source)).Reference();
}
