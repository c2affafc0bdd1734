using System.Text.Json.Serialization;
using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Testing;

/// <summary>Loses its note in JSON.</summary>
public sealed record Parcel(string Name)
{
    [JsonIgnore]
    public string? Note { get; init; }
}

/// <summary>What the tests of testing submit.</summary>
[Service]
public sealed class Errands(Board board, IJobs<IErrandsClient> errands, IJobs<IReportsClient> reports, IServiceProvider services)
{
    [Job]
    public void Run(string name) => board.Add(name);

    [Job]
    public void Other(string name) => board.Add(name);

    [Job(Key = nameof(tenant), MaxPerKey = 1)]
    public void Of(string tenant, int number) => board.Add($"{tenant}{number}");

    [Job]
    public async Task Chain(int left)
    {
        board.Add($"chain {left}");
        if (left > 0)
        {
            await errands.EnqueueAsync(one => one.Chain(left - 1));
        }
    }

    [Job]
    public async Task<int> Ask(string name, int failures) => await (await reports.EnqueueAsync(one => one.Flaky(name, failures))).ResultAsync();

    [Job]
    public async Task<int> Sum(int count)
    {
        var sum = 0;
        await foreach (var page in (await reports.EnqueueAsync(one => one.Pages(count, 0))).ItemsAsync())
        {
            sum += page;
        }

        return sum;
    }

    [Job]
    public string? Read(Parcel parcel) => parcel.Note;

    [Job]
    public Parcel Pack(string name) => new(name) { Note = "fragile" };

    [Job]
    public Task Drain() => services.GetRequiredService<JobsTesting>().DrainAsync();
}
