namespace Weir.Client.Jobs;

/// <summary>Finds the id of a job in a text.</summary>
internal static class JobId
{
    private const int Length = 36;

    /// <summary>The last id in a text; <c>null</c> where it has none.</summary>
    internal static Guid? LastIn(string? text)
    {
        for (var at = (text?.Length ?? 0) - Length; at >= 0; at--)
        {
            if (Guid.TryParseExact(text!.Substring(at, Length), "D", out var id))
            {
                return id;
            }
        }

        return null;
    }
}
