namespace Weir.Worker.Log;

/// <summary>The text of an exception; to read it runs user code, which may throw as well.</summary>
/// <param name="TypeName">The full name of its type.</param>
/// <param name="Message">Its message.</param>
/// <param name="Stack">Inner exceptions and stack frames, without the type name and the message.</param>
internal readonly record struct ExceptionText(string TypeName, string Message, string Stack)
{
    public static ExceptionText Of(Exception failure)
    {
        var typeName = failure.GetType().FullName ?? failure.GetType().Name;
        try
        {
            var message = failure.Message;
            var stack = failure.ToString();
            var start = message.Length == 0 ? typeName : $"{typeName}: {message}";
            return new(typeName, message, stack.StartsWith(start, StringComparison.Ordinal) ? stack[start.Length..].TrimStart('\r', '\n') : stack);
        }
        catch (Exception hostile)
        {
            return new(typeName, Undescribed(failure, hostile), "");
        }
    }

    /// <summary>All of it in one text, for a log.</summary>
    public static string Whole(Exception failure)
    {
        try
        {
            return failure.ToString();
        }
        catch (Exception hostile)
        {
            return Undescribed(failure, hostile);
        }
    }

    private static string Undescribed(Exception failure, Exception hostile) =>
        $"{failure.GetType().FullName} threw {hostile.GetType().FullName} while its text was created.";
}
