using System.Globalization;
using System.Net;
using System.Net.Http.Json;
using System.Reflection;
using System.Text.Json;
using System.Text.RegularExpressions;
using JobsOnKubernetes;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Weir.Samples.Tests.Kubernetes;

namespace Weir.Samples.Tests;

/// <summary>
/// What the sample has for Kubernetes, KEDA, Docker and systemd is parsed, and held to the program: it is started here with the variables that each file sets, with its jobs in memory. Neither of the four runs here.
/// </summary>
public sealed partial class JobsOnKubernetesTests
{
    private const string Database = "ConnectionStrings__Jobs";

    // What the image for applications listens on.
    private const int DefaultPort = 8080;

    private static readonly string Folder = typeof(JobsOnKubernetesTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static one => one.Key == "JobsOnKubernetes").Value!;
    private static readonly string Library = $"{typeof(Reports).Assembly.GetName().Name}.dll";
    private static readonly IReadOnlyList<Manifest> Manifests = Manifest.ReadAll(Path.Combine(Folder, "kubernetes"));
    private static readonly UnitFile Unit = new(File.ReadAllText(Path.Combine(Folder, "weir-jobs.service")));

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static TheoryData<string> Deployments => ["jobs-web", "jobs-runner"];

    [Fact]
    public void There_is_what_the_guide_says() =>
        Assert.Equal(
            ["Deployment jobs-runner", "Deployment jobs-web", "ScaledObject jobs-runner", "Secret jobs-database", "Service jobs-web", "TriggerAuthentication jobs-database"],
            Manifests.Select(static one => $"{one["kind"].Text} {one["metadata.name"].Text}").Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Deployments))]
    public async Task A_pod_has_the_time_that_its_jobs_have_and_a_minute_more(string name)
    {
        var pod = Of("Deployment", name)["spec.template.spec"];
        await using var role = new RoleFactory(EnvironmentOf(pod));
        Assert.Equal((int)Jobs(role).DrainTimeout.TotalSeconds + 60, pod["terminationGracePeriodSeconds"].Number);
        Assert.Null(Container(pod).Find("lifecycle"));

        // The host's own time lies between the two: it is computed by the program.
        Assert.Equal(Jobs(role).DrainTimeout + TimeSpan.FromSeconds(30), role.Services.GetRequiredService<IOptions<HostOptions>>().Value.ShutdownTimeout);
    }

    [Theory]
    [MemberData(nameof(Deployments))]
    public void A_rollout_starts_the_next_pod_before_it_stops_one(string name)
    {
        var deployment = Of("Deployment", name);
        Assert.Equal("RollingUpdate", deployment["spec.strategy.type"].Text);
        Assert.Equal(0, deployment["spec.strategy.rollingUpdate.maxUnavailable"].Number);
        Assert.True(deployment["spec.strategy.rollingUpdate.maxSurge"].Number > 0);
        Assert.Equal(deployment["spec.selector.matchLabels"].Texts, deployment["spec.template.metadata.labels"].Texts);
    }

    [Theory]
    [MemberData(nameof(Deployments))]
    public async Task Each_probe_is_answered(string name)
    {
        var pod = Of("Deployment", name)["spec.template.spec"];
        var container = Container(pod);
        await using var role = new RoleFactory(EnvironmentOf(pod));
        using var client = role.CreateClient();
        var probes = (string[])["startupProbe", "livenessProbe", "readinessProbe"];
        foreach (var probe in probes.Select(probe => container[probe]["httpGet"]))
        {
            Assert.Equal(DefaultPort, PortOf(container, probe["port"].Text));
            using var answer = await client.GetAsync(Address(probe["path"].Text), Cancel);
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        }

        Assert.Equal(["/health/live", "/health/live", "/health/ready"], probes.Select(probe => container[probe]["httpGet.path"].Text));
    }

    [Theory]
    [MemberData(nameof(Deployments))]
    public void Each_variable_is_a_key_that_the_program_reads(string name)
    {
        // A key of Weir that does not exist keeps the program from starting, which other tests do with these. It reads one of its own.
        var environment = EnvironmentOf(Of("Deployment", name)["spec.template.spec"]);
        Assert.All(environment.Keys.Where(static key => key != Database), static key => Assert.StartsWith("Weir__", key, StringComparison.Ordinal));
        using var without = new RoleFactory(environment.Where(static one => one.Key != Database).ToDictionary());
        Assert.Contains("ConnectionStrings:Jobs", Assert.ThrowsAny<Exception>(() => without.Services).Message, StringComparison.Ordinal);
        using var misspelled = new RoleFactory(environment.Append(new("Weir__Jobs__Runs", "true")).ToDictionary());
        Assert.Contains("Runs", Assert.ThrowsAny<Exception>(() => misspelled.Services).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_web_accepts_jobs_and_runs_none()
    {
        await using var role = new RoleFactory(EnvironmentOf(Of("Deployment", "jobs-web")["spec.template.spec"]));
        Assert.False(Jobs(role).Run);
        using var client = role.CreateClient();
        using var submitted = await client.PostAsJsonAsync(Address("/Reports/Build"), new { tenant = "acme", pages = 2 }, Cancel);
        Assert.Equal(HttpStatusCode.Accepted, submitted.StatusCode);
        using var job = JsonDocument.Parse(await client.GetStringAsync(Address($"{submitted.Headers.Location}"), Cancel));
        Assert.Equal("ready", job.RootElement.GetProperty("state").GetString());
        Assert.Equal(0, (await ScaleAsync(client)).Slots);
    }

    [Fact]
    public async Task A_web_whose_store_is_to_run_empty_says_that_it_accepts_no_jobs()
    {
        await using var role = new RoleFactory(EnvironmentOf(Of("Deployment", "jobs-web")["spec.template.spec"]).Append(new("Weir__Jobs__Accept", "false")).ToDictionary());
        using var client = role.CreateClient();
        using var refused = await client.PostAsJsonAsync(Address("/Reports/Build"), new { tenant = "acme", pages = 2 }, Cancel);
        Assert.Equal((HttpStatusCode.ServiceUnavailable, TimeSpan.FromSeconds(10)), (refused.StatusCode, refused.Headers.RetryAfter?.Delta));
        Assert.Contains(WeirCodes.JobsNotAccepted, await refused.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_service_leads_to_the_web()
    {
        var service = Of("Service", "jobs-web");
        var web = Of("Deployment", "jobs-web");
        Assert.Equal(web["spec.template.metadata.labels"].Texts, service["spec.selector"].Texts);
        Assert.Equal(DefaultPort, PortOf(Container(web["spec.template.spec"]), Assert.Single(service["spec.ports"].Items)["targetPort"].Text));

        // And not to runners, which have nothing to answer.
        await using var runner = new RoleFactory(EnvironmentOf(Of("Deployment", "jobs-runner")["spec.template.spec"]));
        using var client = runner.CreateClient();
        using var answer = await client.PostAsJsonAsync(Address("/Reports/Build"), new { tenant = "acme", pages = 2 }, Cancel);
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
    }

    [Fact]
    public async Task A_runner_runs_what_it_is_for()
    {
        await using var role = new RoleFactory(EnvironmentOf(Of("Deployment", "jobs-runner")["spec.template.spec"]));
        Assert.True(Jobs(role).Run);
        var job = await role.Services.GetRequiredService<IJobs<IReportsClient>>().EnqueueAsync(static reports => reports.Build("acme", 2), cancellationToken: Cancel);
        Assert.Equal(["acme: page 1 of 2, attempt 1", "acme: page 2 of 2, attempt 1"], await job.ItemsAsync(cancellationToken: Cancel).ToArrayAsync(Cancel));
    }

    [Fact]
    public async Task The_autoscaler_counts_what_runners_run_and_what_fits_into_one()
    {
        var scaled = Of("ScaledObject", "jobs-runner")["spec"];
        var runner = Of("Deployment", scaled["scaleTargetRef.name"].Text);
        var trigger = Assert.Single(scaled["triggers"].Items);
        await using var role = new RoleFactory(EnvironmentOf(runner["spec.template.spec"]));
        using var client = role.CreateClient();
        Assert.Equal(((int)(await ScaleAsync(client)).Slots).ToString(CultureInfo.InvariantCulture), trigger["metadata.targetQueryValue"].Text);
        Assert.Equal("0", trigger["metadata.activationTargetQueryValue"].Text);
        Assert.Equal(0, scaled["minReplicaCount"].Number);
        Assert.True(scaled["cooldownPeriod"].Number > 0);

        // What becomes due within 30 s counts: a query at least that often sees it before.
        Assert.InRange(scaled["pollingInterval"].Number, 1, 29);

        // An update of a deployment that has a number would undo what the autoscaler has set.
        Assert.Null(runner.Find("spec.replicas"));

        var query = Query().Match(trigger["metadata.query"].Text);
        Assert.True(query.Success);
        Assert.Contains(SchemaSources(), source => source.Contains($"FUNCTION {query.Groups["function"].Value}(pattern text", StringComparison.Ordinal));

        // A kind that it counts and that runners do not run would keep runners for nothing.
        var kinds = (await role.Services.GetRequiredService<IJobs>().KindsAsync(Cancel)).Select(static kind => kind.Name).ToArray();
        Assert.NotEmpty(kinds);
        var pattern = query.Groups["pattern"].Value;
        Assert.All(kinds.Where(kind => Fits(pattern, kind)), kind => Assert.Contains(Jobs(role).Only!, only => Fits(only, kind)));
        Assert.All(Jobs(role).Only!, only => Assert.Contains(kinds, kind => Fits(only, kind)));
    }

    [Fact]
    public void Both_readers_of_the_database_find_it_in_the_secret()
    {
        var secret = Of("Secret", "jobs-database");
        var authentication = Of("TriggerAuthentication", Assert.Single(Of("ScaledObject", "jobs-runner")["spec.triggers"].Items)["authenticationRef.name"].Text);
        var parameter = Assert.Single(authentication["spec.secretTargetRef"].Items);
        Assert.Equal("connection", parameter["parameter"].Text);
        Assert.Equal(secret["metadata.name"].Text, parameter["name"].Text);

        // PostgreSQL's form for KEDA, Npgsql's for the program: the same host and database.
        var keda = new Uri(secret[$"stringData.{parameter["key"].Text}"].Text);
        Assert.Equal("postgresql", keda.Scheme);
        foreach (var name in Deployments)
        {
            var text = EnvironmentOf(Of("Deployment", name.Data)["spec.template.spec"])[Database];
            var application = text.Split(';').Select(static one => one.Split('=', 2)).ToDictionary(static one => one[0], static one => one[1]);
            Assert.Equal(application["Host"], keda.Host.Split('.')[0]);
            Assert.Equal(application["Database"], keda.AbsolutePath[1..]);
        }
    }

    [Theory]
    [MemberData(nameof(Deployments))]
    public void A_pod_runs_the_image_without_rights_of_root(string name)
    {
        var pod = Of("Deployment", name)["spec.template.spec"];
        Assert.Equal("true", pod["securityContext.runAsNonRoot"].Text);
        Assert.Equal("false", Container(pod)["securityContext.allowPrivilegeEscalation"].Text);
        Assert.Equal(Container(Of("Deployment", "jobs-web")["spec.template.spec"])["image"].Text, Container(pod)["image"].Text);
    }

    [Fact]
    public void The_image_starts_the_program_that_it_has_published()
    {
        var lines = File.ReadAllLines(Path.Combine(Folder, "Dockerfile")).Where(static line => line.Length > 0 && line[0] != '#').ToArray();
        var project = Publish().Match(Assert.Single(lines, static line => line.StartsWith("RUN ", StringComparison.Ordinal)));
        Assert.True(project.Success);
        Assert.Equal(Folder, Path.GetFullPath(Path.Combine(Folder, "../..", project.Groups["project"].Value)));

        // The last stage has the runtime of this version, what was published and nothing else, and starts it as another user than root, without a shell.
        var last = lines[Array.FindLastIndex(lines, static line => line.StartsWith("FROM ", StringComparison.Ordinal))..];
        Assert.Equal(
            [
                $"FROM mcr.microsoft.com/dotnet/aspnet:{Environment.Version.ToString(2)}",
                "WORKDIR /app",
                $"COPY --from=build {project.Groups["output"].Value} .",
                "USER $APP_UID",
                $"ENTRYPOINT [\"dotnet\", \"{Library}\"]",
            ],
            last);
        Assert.Equal($"FROM mcr.microsoft.com/dotnet/sdk:{Environment.Version.ToString(2)} AS build", lines[0]);
    }

    [Fact]
    public async Task The_unit_gives_jobs_the_time_that_they_have_and_stops_the_program_before_its_workers()
    {
        var environment = Unit.Environment.Append(new(Database, "Host=localhost")).ToDictionary();
        await using var role = new RoleFactory(environment);
        Assert.True(Jobs(role).Run);
        Assert.Equal((int)Jobs(role).DrainTimeout.TotalSeconds + 60, int.Parse(Unit["Service", "TimeoutStopSec"], CultureInfo.InvariantCulture));
        Assert.Equal("mixed", Unit["Service", "KillMode"]);
        Assert.Equal("continue", Unit["Service", "OOMPolicy"]);
        Assert.Equal("always", Unit["Service", "Restart"]);
        Assert.Equal("0", Unit["Unit", "StartLimitIntervalSec"]);
        Assert.Equal($"/usr/bin/dotnet {Unit["Service", "WorkingDirectory"]}/{Library}", Unit["Service", "ExecStart"]);

        // The same program as in the runner's pod.
        var pod = EnvironmentOf(Of("Deployment", "jobs-runner")["spec.template.spec"]);
        Assert.Equal(
            pod.Where(static one => one.Key != Database).OrderBy(static one => one.Key, StringComparer.Ordinal),
            Unit.Environment.Where(static one => one.Key.StartsWith("Weir__", StringComparison.Ordinal)).OrderBy(static one => one.Key, StringComparer.Ordinal));
    }

    private static WeirJobsOptions Jobs(RoleFactory role) => role.Services.GetRequiredService<WeirJobsOptions>();

    private static Manifest Of(string kind, string name) => Assert.Single(Manifests, one => one["kind"].Text == kind && one["metadata.name"].Text == name);

    private static Manifest Container(Manifest pod) => Assert.Single(pod["containers"].Items);

    private static int PortOf(Manifest container, string name) => Assert.Single(container["ports"].Items, port => port["name"].Text == name)["containerPort"].Number;

    // Values of secrets are those of the sample's.
    private static Dictionary<string, string> EnvironmentOf(Manifest pod) => Container(pod)["env"].Items.ToDictionary(static one => one["name"].Text, static one =>
        one.Find("value") is { } value ? value.Text : Of("Secret", one["valueFrom.secretKeyRef.name"].Text)[$"stringData.{one["valueFrom.secretKeyRef.key"].Text}"].Text);

    private static IEnumerable<string> SchemaSources() => Directory.EnumerateFiles(Path.Combine(Folder, "../../src/Weir.Jobs.PostgreSql"), "Schema*.cs", SearchOption.AllDirectories).Select(File.ReadAllText);

    private static bool Fits(string pattern, string kind) =>
        pattern.EndsWith('*') ? kind.StartsWith(pattern[..^1], StringComparison.OrdinalIgnoreCase) : kind.Equals(pattern, StringComparison.OrdinalIgnoreCase);

    private static async Task<(long Slots, long Running)> ScaleAsync(HttpClient client)
    {
        using var scale = JsonDocument.Parse(await client.GetStringAsync(Address("/operator/$jobs/scale"), Cancel));
        return (scale.RootElement.GetProperty("slots").GetInt64(), scale.RootElement.GetProperty("running").GetInt64());
    }

    private static Uri Address(string path) => new(path, UriKind.RelativeOrAbsolute);

    [GeneratedRegex(@"^select (?<function>\w+\.\w+)\('(?<pattern>[^']+)'\)$")]
    private static partial Regex Query();

    [GeneratedRegex(@"^RUN dotnet publish (?<project>\S+) -c Release -o (?<output>\S+)$")]
    private static partial Regex Publish();
}
