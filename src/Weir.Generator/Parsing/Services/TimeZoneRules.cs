using System.Security;

namespace Weir.Generator.Parsing.Services;

/// <summary>What is wrong with the id of a time zone. The machine that builds may know fewer than the one that runs: what it cannot know it does not refuse.</summary>
internal static class TimeZoneRules
{
    // Ids of these two kinds are known where each of these is: a machine can lack the database, or what tells the names of Windows.
    private const string OfDatabase = "Europe/Berlin";
    private const string OfWindows = "W. Europe Standard Time";

    /// <summary>Why there is no such zone, and what to do; <c>null</c> for one, and where this machine cannot know.</summary>
    public static string? Wrong(string? id) => Wrong(id, IsKnown);

    /// <summary>The same, on a machine that knows some zones.</summary>
    public static string? Wrong(string? id, Func<string, bool> isKnown)
    {
        const string Step = "write an id such as \"Europe/Berlin\", or remove TimeZone for UTC";
        if (id is null || id.Trim().Length == 0)
        {
            return $"TimeZone is {(id is null ? "null" : "empty")}; {Step}";
        }

        // Both kinds have ids without a slash.
        return id == "UTC" || isKnown(id) || !isKnown(OfDatabase) || (id.IndexOf('/') < 0 && !isKnown(OfWindows))
            ? null
            : $"TimeZone is '{id}', which is no time zone that this machine knows; {Step}";
    }

    private static bool IsKnown(string id)
    {
        try
        {
            TimeZoneInfo.FindSystemTimeZoneById(id);
            return true;
        }
        catch (Exception unknown) when (unknown is TimeZoneNotFoundException or InvalidTimeZoneException or SecurityException or UnauthorizedAccessException or IOException)
        {
            // On Unix an id is a path below the database: a folder of it throws what folders throw.
            return false;
        }
    }
}
