using System.Text.Json;

namespace Weir.Dashboard.Actions;

/// <summary>What an operator asks for, and of what state: it is done only while that is the state.</summary>
/// <param name="Call">The call; <c>null</c> where it is about a pool.</param>
/// <param name="Pool">The pool; empty where it is about a call.</param>
/// <param name="ProcessId">The worker; <c>null</c> where it is about the pool.</param>
/// <param name="Serial">Which of the pool's processes it is; <c>null</c> where that was not seen.</param>
internal sealed record ActionRequest(string? Call, string Pool, int? ProcessId, long? Serial)
{
    /// <summary>What a log line says of it.</summary>
    public string Target => Call is not null ? $"call {Call}" : ProcessId is { } process ? $"worker {process} of pool {Pool}" : $"pool {Pool}";

    /// <summary>Reads one: <c>{"pool":"hashing","pid":5101,"serial":7}</c> or <c>{"call":"8192"}</c>.</summary>
    /// <returns><c>null</c> where it is none.</returns>
    public static ActionRequest? Read(ReadOnlyMemory<byte> body)
    {
        try
        {
            using var json = JsonDocument.Parse(body);
            var root = json.RootElement;
            return root.ValueKind != JsonValueKind.Object ? null
                : Text(root, "call") is { } call ? new ActionRequest(call, "", null, null)
                : Text(root, "pool") is { } pool ? new ActionRequest(null, pool, Number(root, "pid") is { } process ? checked((int)process) : null, Number(root, "serial"))
                : null;
        }
        catch (Exception error) when (error is JsonException or FormatException or InvalidOperationException or OverflowException)
        {
            return null;
        }
    }

    private static string? Text(JsonElement root, string name) => root.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static long? Number(JsonElement root, string name) => root.TryGetProperty(name, out var value) && value.ValueKind != JsonValueKind.Null ? value.GetInt64() : null;
}
