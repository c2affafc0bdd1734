using System.Security.Claims;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Jobs.Tests.Http;

/// <summary>Who may see and cancel a job.</summary>
public sealed class AccessTests(SharedHost shared) : IClassFixture<SharedHost>
{
    private const string Async = "Prefer: respond-async";

    // Every route and verb of one job: for its owner, and for operators.
    private static readonly (string Verb, string Path, string? Json, bool IsAdmin)[] Routes =
    [
        ("GET", "", null, false), ("HEAD", "", null, false), ("GET", "/result", null, false), ("HEAD", "/result", null, false), ("GET", "/items", null, false), ("HEAD", "/items", null, false),
        ("POST", "/cancel", null, false), ("GET", "/attempts", null, true), ("HEAD", "/attempts", null, true), ("GET", "/arguments", null, true), ("PUT", "/arguments", """{"count":1}""", true),
        ("POST", "/retry", null, true), ("DELETE", "", null, true),
    ];

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private HttpHost Host => shared.Host;

    [Theory]
    [InlineData("bob")]
    [InlineData("ann;issuer=elsewhere")]
    [InlineData("?;tenant=t")]
    [InlineData("ANN")]
    [InlineData(null)]
    public async Task Another_caller_gets_the_same_answer_for_a_job_as_for_one_that_does_not_exist(string? user)
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":2}""", "ann;tenant=t");
        await Host.EndAsync(address, "ann");
        var absent = $"/$jobs/{Guid.CreateVersion7()}";
        foreach (var (verb, path, json, isAdmin) in Routes)
        {
            using var real = await Host.SendAsync(new HttpMethod(verb), address + path, user, json);
            using var forged = await Host.SendAsync(new HttpMethod(verb), absent + path, user, json);
            Assert.Equal((verb, path, !isAdmin ? 404 : user is null ? 401 : 403), (verb, path, (int)real.StatusCode));
            Assert.Equal(await DirectAnswer.OfAsync(forged), await DirectAnswer.OfAsync(real));
            if (!isAdmin && verb != "HEAD")
            {
                Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await Host.SendAsync(new HttpMethod(verb), address + path, user, json)));
            }

            using var operated = await Host.SendAsync(new HttpMethod(verb), absent + path, HttpHost.Operator, json);
            Assert.Equal((verb, path, 404), (verb, path, (int)operated.StatusCode));
        }

        Assert.Equal("succeeded", (await Host.JobAsync(address, "ann")).GetProperty("state").GetString());
    }

    [Fact]
    public async Task The_owner_and_an_operator_see_a_job_on_every_route()
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":2}""", "ann");
        await Host.EndAsync(address, "ann");
        foreach (var (verb, path, json, isAdmin) in Routes)
        {
            foreach (var user in isAdmin ? new[] { HttpHost.Operator } : ["ann", HttpHost.Operator])
            {
                using var response = await Host.SendAsync(new HttpMethod(verb), address + path, user, json);
                Assert.True((int)response.StatusCode is >= 200 and < 300 || ((int)response.StatusCode == 409 && path == "/arguments"), $"{user} {verb} {path} {(int)response.StatusCode}");
            }
        }

        Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await Host.GetAsync(address, "ann")));
    }

    [Fact]
    public async Task A_thousand_forged_ids_are_all_unknown()
    {
        var random = new Random(40);
        var real = new List<Guid>();
        for (var index = 0; index < 10; index++)
        {
            real.Add(Guid.Parse((await Host.SubmitAsync("Answers/Nothing", """{"text":"hidden"}""", index % 2 == 0 ? "ann" : null)).Split('/')[^1]));
        }

        var bytes = new byte[16];
        for (var index = 0; index < 1_000; index++)
        {
            var id = real[random.Next(real.Count)];
            string forged;
            switch (index % 4)
            {
                case 0:
                    random.NextBytes(bytes);
                    forged = new Guid(bytes).ToString();
                    break;
                case 1:
                    Assert.True(id.TryWriteBytes(bytes));
                    var bit = random.Next(128);
                    bytes[bit / 8] ^= (byte)(1 << (bit % 8));
                    forged = new Guid(bytes).ToString();
                    break;
                case 2:
                    forged = id.ToString("NBPX".Substring(index / 4 % 4, 1));
                    break;
                default:
                    var text = id.ToString();
                    forged = (index / 4 % 7) switch { 0 => text + "0", 1 => text[..^1], 2 => "%20" + text, 3 => text + "%00", 4 => text.Replace('-', '_'), 5 => "urn:uuid:" + text, _ => text + "%20" };
                    break;
            }

            using var response = await Host.GetAsync($"/$jobs/{forged}", "mallory");
            Assert.True((int)response.StatusCode is 404 or 400, $"{forged}: {(int)response.StatusCode}");
        }

        // A zero byte is refused by the server itself.
        Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await Host.GetAsync("/$jobs/counts0", "mallory")));
    }

    [Fact]
    public async Task The_id_of_an_anonymous_job_is_the_right_to_read_and_cancel_it()
    {
        var address = await Host.SubmitAsync("Answers/Gated", """{"gate":"anonymous"}""");
        foreach (var user in new[] { null, "bob", "?" })
        {
            Assert.Equal("Answers/Gated", (await Host.JobAsync(address, user)).GetProperty("kind").GetString());
        }

        using var cancelled = await Host.PostAsync($"{address}/cancel", "bob");
        Assert.True(cancelled.IsSuccessStatusCode);
        Assert.Equal("cancelled", (await Host.EndAsync(address)).GetProperty("state").GetString());
    }

    [Fact]
    public async Task An_operation_behind_a_policy_has_no_anonymous_jobs()
    {
        using var direct = await Host.PostAsync("/Guarded/Secret", null, """{"text":"direct"}""");
        Assert.Equal(200, (int)direct.StatusCode);
        Assert.Equal((403, WeirCodes.JobCallerUnnamed), await HttpHost.ProblemAsync(await Host.PostAsync("/Guarded/Secret", null, """{"text":"stored"}""", Async)));
        Assert.DoesNotContain("secret stored", Host.Board.Lines);
        await Host.EndAsync(await Host.SubmitAsync("Guarded/Secret", """{"text":"named"}""", "ann"), "ann");
        await Host.EndAsync(await Host.SubmitAsync("Guarded/Open", """{"text":"open"}"""));
    }

    [Fact]
    public async Task An_authenticated_caller_without_a_name_submits_no_job_and_learns_which_claim_is_missing()
    {
        using var refused = await Host.PostAsync("/Answers/Text", "?", """{"text":"x"}""", Async);
        Assert.Contains("NameIdentifier", await refused.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
        Assert.Equal((403, WeirCodes.JobCallerUnnamed), await HttpHost.ProblemAsync(refused));
        using var direct = await Host.PostAsync("/Answers/Text", "?", """{"text":"x"}""");
        Assert.Equal(200, (int)direct.StatusCode);
    }

    [Fact]
    public async Task Callers_with_the_same_value_of_the_claim_that_names_owners_see_each_others_jobs()
    {
        await using var host = await HttpHost.StartAsync(new() { Jobs = static jobs => jobs.OwnerClaim = "tenant" });
        var address = await host.SubmitAsync("Answers/Text", """{"text":"x"}""", "ann;tenant=acme", "Idempotency-Key: k");
        await host.EndAsync(address, "bob;tenant=acme");
        Assert.Equal(address, await host.SubmitAsync("Answers/Text", """{"text":"x"}""", "bob;tenant=acme", "Idempotency-Key: k"));
        foreach (var user in new[] { "ann;tenant=other", "ann;issuer=elsewhere;tenant=acme", "ann", "acme", null })
        {
            Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await host.GetAsync(address, user)));
        }

        using var refused = await host.PostAsync("/Answers/Text", "ann", """{"text":"x"}""", Async);
        Assert.Contains("tenant", await refused.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
        Assert.Equal(403, (int)refused.StatusCode);
    }

    [Fact]
    public async Task A_job_that_code_submits_is_seen_by_the_owner_that_it_names_and_otherwise_by_operators_only()
    {
        var jobs = Host.Get<IJobs<IAnswersClient>>();
        var owned = await jobs.EnqueueAsync(answers => answers.Text("owned"), new JobOptions { Owner = HeaderAuthentication.Principal("ann").JobOwner() }, Ct);
        var own = await jobs.EnqueueAsync(answers => answers.Text("own"), cancellationToken: Ct);
        Assert.Equal("owned", await (await Host.GetAsync($"/$jobs/{owned.Id}/result", "ann", "Prefer: wait=60")).Content.ReadAsStringAsync(Ct));
        Assert.Equal(404, (await HttpHost.ProblemAsync(await Host.GetAsync($"/$jobs/{owned.Id}", "bob"))).Status);
        foreach (var user in new[] { "ann", "?", null })
        {
            Assert.Equal(404, (await HttpHost.ProblemAsync(await Host.GetAsync($"/$jobs/{own.Id}", user))).Status);
        }

        Assert.Equal("own", await (await Host.GetAsync($"/$jobs/{own.Id}/result", HttpHost.Operator, "Prefer: wait=60")).Content.ReadAsStringAsync(Ct));
    }

    [Fact]
    public async Task Without_admin_endpoints_no_role_sees_the_jobs_of_others()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Map = static app =>
            {
                app.MapWeir();
                app.MapWeirJobs();
            },
        });
        var address = await host.SubmitAsync("Answers/Text", """{"text":"x"}""", "ann");
        Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await host.GetAsync(address, HttpHost.Operator)));
        Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await host.GetAsync("/$jobs/counts", HttpHost.Operator)));
    }

    [Fact]
    public async Task An_application_without_authentication_serves_anonymous_jobs()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Services = static services => services.Configure<Microsoft.AspNetCore.Authentication.AuthenticationOptions>(static options => options.DefaultScheme = null),
            Map = static app =>
            {
                app.MapWeirService<Answers>();
                app.MapWeirJobs();
            },
        });
        await host.EndAsync(await host.SubmitAsync("Answers/Text", """{"text":"x"}"""));
    }

    [Fact]
    public void The_owner_of_a_principal_is_the_same_text_for_the_same_caller_only()
    {
        static ClaimsPrincipal With(params Claim[] claims) => new(new ClaimsIdentity(claims, "test"));
        var owners = new[]
        {
            With(new Claim(ClaimTypes.NameIdentifier, "a")), With(new Claim("sub", "a")), With(new Claim(ClaimTypes.Name, "a")), With(new Claim(ClaimTypes.NameIdentifier, "a", null, "other")),
            With(new Claim(ClaimTypes.NameIdentifier, "b")), With(new Claim(ClaimTypes.NameIdentifier, new string('x', 300))), With(new Claim(ClaimTypes.NameIdentifier, new string('x', 301))),
        }.Select(static user => user.JobOwner()).ToArray();
        Assert.Equal(owners.Length, owners.Distinct().Count());
        Assert.All(owners, static owner => Assert.InRange(owner!.Length, 1, 200));
        Assert.Equal(owners[0], With(new Claim("tenant", "t"), new Claim("sub", "z"), new Claim(ClaimTypes.NameIdentifier, "a")).JobOwner());
        Assert.Null(new ClaimsPrincipal().JobOwner());
        Assert.Null(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "a")])).JobOwner());
        Assert.Null(With(new Claim(ClaimTypes.NameIdentifier, "")).JobOwner());
        Assert.Null(With(new Claim(ClaimTypes.NameIdentifier, "a")).JobOwner("tenant"));
        Assert.Equal(With(new Claim("tenant", "t")).JobOwner("tenant"), With(new Claim("tenant", "t"), new Claim("sub", "s")).JobOwner("tenant"));
    }
}
