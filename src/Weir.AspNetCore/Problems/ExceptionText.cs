namespace Weir.AspNetCore.Problems;

/// <summary>The texts of an exception of user code, whose own members may throw.</summary>
internal static class ExceptionText
{
    /// <summary>Its message.</summary>
    internal static string Message(Exception error) => Read(error, static one => one.Message);

    /// <summary>Its type, message and stack.</summary>
    internal static string Full(Exception error) => Read(error, static one => one.ToString());

    private static string Read(Exception error, Func<Exception, string?> read)
    {
        try
        {
            return read(error) ?? "";
        }
        catch (Exception failure)
        {
            return new UnreadableException(error, failure).Message;
        }
    }
}
