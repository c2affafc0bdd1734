using System.Globalization;
using System.Text.Json;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>A job as the server describes it. Any text in it may be anything.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Kind">What it runs.</param>
/// <param name="State">Its state.</param>
internal sealed record JobView(Guid Id, string Kind, string State)
{
    // What a person reads of a text; --json prints all of it.
    private const int MostText = 200;

    /// <summary>Every state that a server of today has.</summary>
    public static IReadOnlyList<string> States { get; } = ["scheduled", "ready", "running", "succeeded", "failed", "cancelled", "expired"];

    /// <summary>Why it is in this state; <c>null</c> where there is nothing to say.</summary>
    public string? Reason { get; init; }

    /// <summary>Why its attempt is being stopped; <c>null</c> for most.</summary>
    public string? Stopping { get; init; }

    /// <summary>How often it was started.</summary>
    public long Attempt { get; init; }

    /// <summary>How often it may be started.</summary>
    public long? Attempts { get; init; }

    /// <summary>When it was submitted, as sent.</summary>
    public string? Submitted { get; init; }

    /// <summary>When it may start.</summary>
    public string? Due { get; init; }

    /// <summary>When its last attempt was started.</summary>
    public string? Started { get; init; }

    /// <summary>When it ended.</summary>
    public string? Ended { get; init; }

    /// <summary>Until when it must be started.</summary>
    public string? Expires { get; init; }

    /// <summary>How much of it is done, from 0 to 1; <c>null</c> where it does not say.</summary>
    public double? Fraction { get; init; }

    /// <summary>What it says about its progress.</summary>
    public string? ProgressText { get; init; }

    /// <summary>How many items are stored.</summary>
    public long? Items { get; init; }

    /// <summary>By what it is limited.</summary>
    public string? Key { get; init; }

    /// <summary>Its priority.</summary>
    public string? Priority { get; init; }

    /// <summary>The job that submitted it.</summary>
    public string? Parent { get; init; }

    /// <summary>Why it has no result.</summary>
    public JsonElement? Problem { get; init; }

    /// <summary>Whether it has items instead of one result.</summary>
    public bool IsStream { get; init; }

    /// <summary>Whether it has ended, for whatever reason.</summary>
    public bool HasEnded => State is "succeeded" or "failed" or "cancelled" or "expired";

    /// <summary>Whether it has its result.</summary>
    public bool HasSucceeded => State == "succeeded";

    /// <summary>Its state in words.</summary>
    public string StateText => string.Concat(
        SafeText.Cut(State, MostText),
        Reason is null ? "" : $" ({SafeText.Cut(Reason, MostText)})",
        Stopping switch { null => "", "cancel" => ", is being cancelled", "timeout" => ", is being stopped after its timeout", var other => $", is being stopped ({SafeText.Cut(other, MostText)})" });

    /// <summary>Which attempt it is in; empty before the first one.</summary>
    public string AttemptText => Attempt <= 0 ? "" : string.Create(CultureInfo.InvariantCulture, $"{Attempt}{(Attempts is { } most ? $" of {most}" : "")}");

    /// <summary>How much of it is done, in percent; <c>null</c> where it does not say.</summary>
    public int? Percent => Fraction is { } fraction ? (int)Math.Floor(Math.Clamp(fraction, 0, 1) * 100) : null;

    /// <summary>Its progress in words; empty where there is none.</summary>
    public string Progress => string.Join(", ", new[] { Percent is { } percent ? string.Create(CultureInfo.InvariantCulture, $"{percent} %") : null, ProgressText is { Length: > 0 } text ? SafeText.Cut(text, MostText) : null, ItemsText }.OfType<string>());

    /// <summary>How many items are stored, in words; <c>null</c> where it has none.</summary>
    public string? ItemsText => Items is { } count && (IsStream || count > 0) ? string.Create(CultureInfo.InvariantCulture, $"{count} {(count == 1 ? "item" : "items")}") : null;

    /// <summary>State, attempt and progress in words.</summary>
    public string Line => string.Join(", ", new[] { StateText, State == "scheduled" && Due is not null ? $"due {Time(Due)}" : "", AttemptText is { Length: > 0 } attempt ? $"attempt {attempt}" : "", Progress }.Where(static part => part.Length > 0));

    /// <summary>Reads a job.</summary>
    /// <param name="json">Of a server.</param>
    /// <returns><c>null</c> where it is none.</returns>
    public static JobView? Read(JsonElement json)
    {
        if (!Guid.TryParseExact(JsonMembers.Text(json, "id"), "D", out var id) || JsonMembers.Text(json, "kind") is not { } kind || JsonMembers.Text(json, "state") is not { } state)
        {
            return null;
        }

        var progress = JsonMembers.Object(json, "progress") ?? default;
        return new JobView(id, kind, state)
        {
            Reason = JsonMembers.Text(json, "reason"),
            Stopping = JsonMembers.Text(json, "stopping"),
            Attempt = JsonMembers.Number(json, "attempt") ?? 0,
            Attempts = JsonMembers.Number(json, "attempts"),
            Submitted = JsonMembers.Text(json, "submitted"),
            Due = JsonMembers.Text(json, "due"),
            Started = JsonMembers.Text(json, "started"),
            Ended = JsonMembers.Text(json, "ended"),
            Expires = JsonMembers.Text(json, "expires"),
            Fraction = JsonMembers.Fraction(progress, "fraction"),
            ProgressText = JsonMembers.Text(progress, "text"),
            Items = JsonMembers.Number(json, "items"),
            Key = JsonMembers.Text(json, "key"),
            Priority = JsonMembers.Text(json, "priority"),
            Parent = JsonMembers.Text(json, "parent"),
            Problem = JsonMembers.Object(json, "problem"),
            IsStream = JsonMembers.Object(json, "links") is { } links && JsonMembers.Text(links, "items") is not null,
        };
    }

    /// <summary>A time of the server for a person: in seconds, in UTC.</summary>
    public static string Time(string? text) => text is null ? ""
        : DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time) ? time.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture)
        : SafeText.Cut(text, MostText);
}
