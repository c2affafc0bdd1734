using Weir.Execution.Configuration;

namespace Weir.Execution.Observation;

/// <summary>The keys of the section <c>Weir:Recording</c>.</summary>
internal static class RecordingKeys
{
    public static OptionKeys<RecordingOptions> All { get; } = new(
        "recording",
        new("Enabled", static (recording, value) => recording.Enabled = value.Switch()),
        new("HistoryBytes", static (recording, value) => recording.HistoryBytes = value.Integer()));
}
