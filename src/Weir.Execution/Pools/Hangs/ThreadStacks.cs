using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Weir.Execution.Pools.Hangs;

/// <summary>
/// Describes what a worker did, from the report of all its threads that the runtime's dump tool writes: of each thread with code of the application the frames down to
/// Weir's, innermost first. It is not known which thread runs which call: with one call at a time there is mostly one.
/// </summary>
internal static class ThreadStacks
{
    /// <summary>The most characters; each frame is ASCII mostly.</summary>
    public const int MostText = 64 << 10;

    private const string Generated = "Weir.Generated.";

    // Of a thread: a recursion is as long as it is deep.
    private const int MostInnermost = 80;
    private const int MostOutermost = 20;

    private static readonly string[] RuntimeModules = ["libcoreclr", "libc.", "libc-", "ld-", "libpthread", "libSystem.Native", "libstdc++", "linux-vdso", "libclrjit"];

    /// <summary>Reads the report.</summary>
    /// <param name="report">JSON.</param>
    /// <returns><c>null</c> where it is no such report.</returns>
    public static string? Describe(ReadOnlyMemory<byte> report)
    {
        try
        {
            using var json = JsonDocument.Parse(report);
            return Describe(Member(Member(json.RootElement, "payload"), "threads"));
        }
        catch (Exception malformed) when (malformed is JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    private static string Describe(JsonElement threads)
    {
        var text = new StringBuilder();
        foreach (var thread in threads.EnumerateArray())
        {
            if (Frames(thread) is { Count: > 0 } frames && text.Length < MostText)
            {
                text.Append(CultureInfo.InvariantCulture, $"Thread {ThreadId(thread)}:\n");
                Append(text, frames);
            }
        }

        if (text.Length == 0)
        {
            // Of a loop that reads the clock the tool finds one frame without a name.
            return threads.EnumerateArray().Any(IsUnreadable) ? "The stack of a thread could not be read, and no other runs code of the application." : "No thread runs code of the application: what the call awaits is not on a stack.";
        }

        return text.Length <= MostText ? text.ToString().TrimEnd() : text.ToString(0, MostText);
    }

    // Of a thread with code of the application: the frames above Weir's own. Empty for any other thread.
    private static List<string> Frames(JsonElement thread)
    {
        var frames = new List<string>();
        var hasOwn = false;
        string? native = null;
        foreach (var frame in Member(thread, "stack_frames").EnumerateArray())
        {
            if (Text(frame, "method_name") is not { Length: > 0 } method)
            {
                // A library that the innermost managed method called.
                native ??= frames.Count == 0 ? Native(frame) : null;
                continue;
            }

            if (IsOfWeir(frame, method))
            {
                break;
            }

            hasOwn |= !IsOfFramework(frame);
            frames.Add($"   at {method}");
        }

        if (native is not null)
        {
            frames.Insert(0, native);
        }

        return hasOwn ? frames : [];
    }

    private static bool IsUnreadable(JsonElement thread) =>
        Text(thread, "is_managed") == "true" && !Member(thread, "stack_frames").EnumerateArray().Any(static frame => Text(frame, "method_name") is { Length: > 0 });

    private static void Append(StringBuilder text, List<string> frames)
    {
        var left = frames.Count - MostInnermost - MostOutermost;
        for (var i = 0; i < frames.Count; i++)
        {
            if (left <= 0 || i < MostInnermost || i >= frames.Count - MostOutermost)
            {
                text.Append(frames[i]).Append('\n');
            }
            else if (i == MostInnermost)
            {
                text.Append(CultureInfo.InvariantCulture, $"   … {left} frames\n");
            }
        }
    }

    // Generated code, which calls an operation, is in the application's own assembly.
    private static bool IsOfWeir(JsonElement frame, string method) =>
        method.StartsWith(Generated, StringComparison.Ordinal) || Text(frame, "filename") is "Weir.Worker.dll" or "Weir.Abstractions.dll" or "Weir.Protocol.dll";

    private static bool IsOfFramework(JsonElement frame) =>
        Text(frame, "filename") is not { } file || file.StartsWith("System.", StringComparison.Ordinal) || file.StartsWith("Microsoft.", StringComparison.Ordinal);

    private static string? Native(JsonElement frame) =>
        Text(frame, "native_module") is not { Length: > 0 } module || RuntimeModules.Any(name => module.StartsWith(name, StringComparison.Ordinal)) ? null
        : Text(frame, "unmanaged_name") is { Length: > 0 } name ? $"   in {name} of {module}"
        : $"   in {module}";

    private static long ThreadId(JsonElement thread) =>
        Text(thread, "native_thread_id") is { Length: > 2 } text && long.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var id) ? id : 0;

    private static JsonElement Member(JsonElement element, string name) => element.TryGetProperty(name, out var value) ? value : default;

    private static string? Text(JsonElement element, string name) => element.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}
