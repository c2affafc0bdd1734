namespace Weir.Cli.Terminal;

/// <summary>What the user gave cannot be used. Its message is all that is printed: it names the input, its value and the next step.</summary>
internal sealed class InputException(string message, Exception? cause = null) : Exception(message, cause);
