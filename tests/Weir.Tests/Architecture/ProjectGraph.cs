namespace Weir.Tests.Architecture;

/// <summary>Which project may reference which: the table of <c>docs/architecture.md</c>, and the rules around it.</summary>
internal static class ProjectGraph
{
    private static readonly Dictionary<string, Knows> Shipped = new()
    {
        ["Weir.Abstractions"] = new()
        {
            Packages = ["Microsoft.Bcl.AsyncInterfaces"],
            ConditionalPackages =
            [
                "Microsoft.Extensions.Configuration.Abstractions", "Microsoft.Extensions.DependencyInjection.Abstractions",
                "Microsoft.Extensions.Logging.Abstractions", "System.Memory", "System.Text.Json",
            ],
        },
        ["Weir.Generator"] = new() { Packages = ["Cronos", "Microsoft.CodeAnalysis.CSharp"] },
        ["Weir.CodeFixes"] = new() { Packages = ["Microsoft.CodeAnalysis.CSharp.Workspaces"] },
        // The one exception: its types are internal, and the two ends of a channel use them.
        ["Weir.Protocol"] = new() { Projects = ["Weir.Abstractions"], Friends = ["Weir.Execution", "Weir.Worker", "Weir.ScriptedWorker"] },
        ["Weir.Worker"] = new()
        {
            Projects = ["Weir.Abstractions", "Weir.Protocol"],
            Packages =
            [
                "Microsoft.Extensions.Configuration", "Microsoft.Extensions.DependencyInjection", "Microsoft.Extensions.Logging",
                "Microsoft.Extensions.Logging.Abstractions", "Microsoft.Extensions.Options",
            ],
        },
        ["Weir.Execution"] = new()
        {
            Projects = ["Weir.Abstractions", "Weir.Protocol", "Weir.Worker"],
            Packages = ["Microsoft.Extensions.Configuration.Abstractions", "Microsoft.Extensions.Logging.Abstractions", "Microsoft.Extensions.Options"],
            // 'weir doctor' prints what the probe of the machine finds. The dashboard serves what is recorded, and jobs add to it what the core does not know.
            Friends = ["Weir.Cli", "Weir.Dashboard", "Weir.Jobs"],
        },
        // The port of its stores is internal. Results and items are served over HTTP as they are stored.
        ["Weir.Jobs"] = new() { Projects = ["Weir.Abstractions", "Weir.Execution"], Packages = ["Cronos", "Microsoft.Extensions.Diagnostics.HealthChecks", "Microsoft.Extensions.Hosting"], Friends = ["Weir.Jobs.AspNetCore", "Weir.Jobs.PostgreSql", "Weir.Jobs.RabbitMq", "Weir.Jobs.Sqlite"] },
        ["Weir.Jobs.PostgreSql"] = new() { Projects = ["Weir.Jobs"], Packages = ["Npgsql"] },
        // Only it knows a broker: messages are bound and submitted as requests are.
        ["Weir.Jobs.RabbitMq"] = new() { Projects = ["Weir.Jobs"], Packages = ["RabbitMQ.Client"] },
        ["Weir.Jobs.Sqlite"] = new() { Projects = ["Weir.Jobs"], Packages = ["SQLitePCLRaw.bundle_e_sqlite3"] },
        ["Weir.Dashboard"] = new() { Projects = ["Weir.AspNetCore"], Frameworks = ["Microsoft.AspNetCore.App"] },
        ["Weir.Jobs.AspNetCore"] = new() { Projects = ["Weir.AspNetCore", "Weir.Jobs"], Frameworks = ["Microsoft.AspNetCore.App"] },
        // A client: it knows nothing of the server.
        ["Weir.Http"] = new() { Packages = ["Microsoft.Extensions.Http"] },
        // What generated code calls, on every .NET that has HttpClient.
        ["Weir.Client"] = new() { Projects = ["Weir.Abstractions"], Packages = ["System.Text.Json"], ConditionalPackages = ["Microsoft.Bcl.AsyncInterfaces", "System.Memory"] },
        ["Weir.Client.Extensions"] = new() { Projects = ["Weir.Client"], Packages = ["Microsoft.Extensions.Http"] },
        // It measures any server. The lab sends its own requests with its parts.
        ["Weir.Load"] = new() { Packages = ["HdrHistogram"], Friends = ["Weir.Lab"] },
        ["Weir.Cli"] = new()
        {
            Projects = ["Weir.Execution", "Weir.Http", "Weir.Load"],
            Packages = ["HdrHistogram", "Spectre.Console", "System.CommandLine"],
        },
        ["Weir.AspNetCore"] = new()
        {
            Projects = ["Weir.Abstractions", "Weir.Execution"],
            Frameworks = ["Microsoft.AspNetCore.App"],
            // What is served is described once, for the catalog and for documents. Jobs are answered by what answers calls.
            Friends = ["Weir.Dashboard", "Weir.Jobs.AspNetCore", "Weir.OpenApi"],
        },
        ["Weir.OpenApi"] = new()
        {
            Projects = ["Weir.AspNetCore"],
            Packages = ["Microsoft.AspNetCore.OpenApi", "Microsoft.OpenApi"],
            Frameworks = ["Microsoft.AspNetCore.App"],
        },
        // Files of an application, and no code of its own.
        ["Weir.Templates"] = new(),
    };

    private static readonly string[] HomelessNames = ["Core", "Common", "Utils", "Utilities", "Helpers", "Shared", "Internal"];

    private static readonly string[] ComposedOnTop = ["Weir.Cli", "Weir.Lab"];

    // The micro-benchmarks measure what is smaller than a call, as tests test it.
    private static readonly string[] TestProjects = ["Weir.Tests", "Weir.IntegrationTests", "Weir.Cli.Tests", "Weir.Client.Tests", "Weir.Dashboard.Tests", "Weir.Generator.Tests", "Weir.Http.Tests", "Weir.Jobs.PostgreSql.Tests", "Weir.Jobs.RabbitMq.Tests", "Weir.Jobs.Tests", "Weir.Lab.Micro", "Weir.Lab.Tests", "Weir.Load.Tests", "Weir.OpenApi.Tests", "Weir.TypeScript.Tests"];

    /// <summary>The shipped projects that must exist.</summary>
    public static IEnumerable<string> ShippedNames => Shipped.Keys;

    /// <summary>The rules of the graph that a project breaks.</summary>
    public static IEnumerable<string> Faults(ProjectFile project)
    {
        foreach (var name in project.Name.Split('.').Intersect(HomelessNames, StringComparer.OrdinalIgnoreCase))
        {
            yield return $"{project.Path}: '{name}' names no thing; name the project after what it holds";
        }

        // Their own tests see the internals; other tests run the clients that the tool writes, and what it shows of an application.
        foreach (var name in project.Projects.Intersect(ComposedOnTop).Where(name => project.Name != $"{name}.Tests" && (name, project.Name) is not (("Weir.Cli", "Weir.TypeScript.Tests") or ("Weir.Cli", "Weir.Dashboard.Tests"))))
        {
            yield return $"{project.Path}: nothing references {name}";
        }

        foreach (var name in project.Friends.Except(TestProjects).Except(Shipped.GetValueOrDefault(project.Name)?.Friends ?? []))
        {
            yield return $"{project.Path}: InternalsVisibleTo {name}, which is neither a test project nor an exception in the table of projects";
        }

        foreach (var fault in project.IsShipped ? FaultsOfShipped(project) : [])
        {
            yield return fault;
        }
    }

    private static IEnumerable<string> FaultsOfShipped(ProjectFile project)
    {
        if (!Shipped.TryGetValue(project.Name, out var knows))
        {
            return [$"{project.Path}: not in the table of projects; add it there and in docs/architecture.md"];
        }

        return
        [
            .. Differences(project.Path, "project", knows.Projects, project.Projects),
            .. Differences(project.Path, "package", knows.Packages, project.Packages),
            .. Differences(project.Path, "conditional package", knows.ConditionalPackages, project.ConditionalPackages),
            .. Differences(project.Path, "framework", knows.Frameworks, project.Frameworks),
            .. project.ProjectsWithoutAnalyzers.Select(name =>
                $"{project.Path}: the reference to {name} needs PrivateAssets=\"none\", or applications lose the generator"),
        ];
    }

    private static IEnumerable<string> Differences(string path, string kind, string[] designed, string[] found) =>
    [
        .. found.Except(designed).Select(name => $"{path}: references the {kind} {name}, the design does not"),
        .. designed.Except(found).Select(name => $"{path}: does not reference the {kind} {name}, the design does"),
    ];

    private sealed class Knows
    {
        public string[] Projects { get; init; } = [];

        public string[] Packages { get; init; } = [];

        public string[] ConditionalPackages { get; init; } = [];

        public string[] Frameworks { get; init; } = [];

        public string[] Friends { get; init; } = [];
    }
}
