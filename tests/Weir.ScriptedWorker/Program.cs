using Weir.ScriptedWorker;

// A worker that follows its script, whether that is correct or not: Weir.ScriptedWorker.dll <how it starts>.
using var session = new Session(args.Length > 0 ? args[0] : "well");
return session.Run();
