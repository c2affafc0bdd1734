using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Weir.Jobs.RabbitMq.Diagnostics;
using Weir.Jobs.RabbitMq.Messages;

namespace Weir.Jobs.RabbitMq.Tests.Guide;

/// <summary>The guide has what there is.</summary>
public sealed class GuideTests
{
    [Fact]
    public void The_table_of_meters_has_the_instrument_of_intakes_and_every_outcome_of_it()
    {
        // Four at most: one for each outcome.
        var outcomes = new ConcurrentQueue<object?>();
        string? found = null;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Name.StartsWith("weir.job.intake.", StringComparison.Ordinal))
            {
                found = $"| `{instrument.Name}` | counter | `{instrument.Unit}` | `weir.job.intake.queue`, `weir.job.intake.outcome` |";
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) =>
        {
            if (tags[0].Value is "guide")
            {
                outcomes.Enqueue(tags[1].Value);
            }
        });
        listener.Start();
        var meter = new IntakeMeter(null);
        meter.Accepted("guide");
        meter.Existing("guide");
        meter.Refused("guide");
        meter.Returned("guide");

        var row = Assert.Single(Page("meters.md").Split('\n'), static line => line.Contains("weir.job.intake.", StringComparison.Ordinal));
        Assert.StartsWith(found!, row, StringComparison.Ordinal);
        Assert.Equal(4, outcomes.Count);
        Assert.All(outcomes, outcome => Assert.Contains($"`{outcome}`", row, StringComparison.Ordinal));
    }

    [Fact]
    public void The_page_has_every_option_with_its_default()
    {
        var page = Page("a-broker-in-front.md").Split("## Options")[1];
        var rows = page.Split('\n').Where(static line => line.StartsWith("| `", StringComparison.Ordinal)).Select(static line => line.Split('|')[1].Trim().Trim('`')).ToArray();
        Assert.Equal(typeof(RabbitMqIntakeOptions).GetProperties().Select(static property => property.Name).Order(), rows.Order());
        var options = new RabbitMqIntakeOptions();
        Assert.Contains($"| `Prefetch` | {options.Prefetch} |", page, StringComparison.Ordinal);
        Assert.Contains($"| `RequireMessageId` | `{(options.RequireMessageId ? "true" : "false")}` |", page, StringComparison.Ordinal);
        Assert.Contains($"| `RefuseUnknownArguments` | `{(options.RefuseUnknownArguments ? "true" : "false")}` |", page, StringComparison.Ordinal);
        Assert.Contains($"| `DeclareQueue` | `{(options.DeclareQueue ? "true" : "false")}` |", page, StringComparison.Ordinal);
    }

    [Fact]
    public void The_page_has_every_header()
    {
        var page = Page("a-broker-in-front.md");
        Assert.All(
            (string[])[MessageHeaders.Kind, MessageHeaders.Key, MessageHeaders.Priority, MessageHeaders.Due, MessageHeaders.ExpiresAfter, MessageHeaders.Owner, MessageHeaders.Reason, MessageHeaders.Queue],
            header => Assert.Contains($"`{header}`", page, StringComparison.Ordinal));
    }

    private static string Page(string name) => File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Guide", name));
}
